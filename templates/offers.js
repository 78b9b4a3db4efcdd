"use strict";
// What the controls over the matrix offer, from the page's data: what there is, and of filters what divides it.
const Offers = (() => {
  const {data, rows, order, AXES, VALUES} = Values;
  const PREVIOUS = {bindings: "the bindings release before", python: "the Python before", toolkit: "the toolkit before",
    core: "the core release before"};

  const unique = values => [...new Set(values)];
  const versions = values => unique(values).sort(order);
  const short = flag => flag.split(/[:,.](?: |$)/)[0];
  const measured = key => data.cells.filter((_, column) => rows.some(row => row.variant.fields[column][key]));

  const option = ([value, label]) => new Option(label, value);
  const group = (label, choices) => {
    const made = document.createElement("optgroup");
    made.label = label;
    made.append(...choices.map(option));
    return made;
  };
  const all = choices => [option(["", "all"]), ...choices.map(each => option([each, each]))];

  // The values that the matrices of these names can show; a change needs two cells.
  const values = faces => Object.entries(VALUES)
    .filter(([, {face, key, against}]) => faces.includes(face) && (!against || measured(key).length > 1))
    .map(([name, {label}]) => option([name, label]));

  const axes = () => AXES.flatMap(axis => {
    const found = versions(data.cells.map(cell => String(cell[axis] ?? "none")));
    if (found.length < 2) return [];
    const label = axis === "python" ? "Python" : axis;
    const fixed = found.map(value => [`${axis}:${value}`, `the same with ${label} ${value}`]);
    return [group(`Another ${label}`, [[`${axis}:previous`, PREVIOUS[axis]], ...fixed])];
  });
  const against = () => {
    const compared = new Set([...measured("t"), ...measured("c")]);
    const cells = data.cells.filter(cell => compared.has(cell));
    return [...axes(), group("One cell", cells.map(({id}) => [`cell:${id}`, id]))];
  };

  const sorts = () => [
    option(["", "as declared"]), option(["greatest", "greatest first"]), group("By a column", data.cells.map(({id}) => [id, id])),
  ];

  // The flags that some of the numbers carry and others do not, in the order of the data.
  const flags = (own, key) => {
    const carried = data.flags.map(() => 0);
    let numbers = 0;
    for (const {variant} of own) {
      variant.fields.forEach((field, column) => {
        if (!field[key]) return;
        numbers += 1;
        for (const flag of [...data.cells[column].flags, ...field.f ?? []]) carried[flag] += 1;
      });
    }
    return data.flags.filter((_, flag) => carried[flag] > 0 && carried[flag] < numbers).map(short);
  };

  // By filter its choices, of a matrix of these rows whose numbers are at `key`; none where there is nothing to choose.
  const filters = (own, key) => {
    const several = found => found.length > 1 ? found : [];
    return {
      area: several(unique(own.map(row => row.case.area))),
      variant: several(unique(own.map(row => row.variant.name))),
      toolkit: several(versions(data.cells.map(cell => cell.toolkit))),
      python: several(versions(data.cells.map(cell => cell.python))),
      flag: flags(own, key),
    };
  };

  return {all, values, against, sorts, filters, short};
})();
