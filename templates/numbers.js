"use strict";
// Numbers as people read them: what quantities.py says, which tests/test_page_matrix.py holds it to. Times go in as ns;
// an estimate is [value, low, high], without bounds where they are null.
const Numbers = (() => {
  const THIN = "\u202f", MINUS = "\u2212", TIMES = "\u00d7";
  const UNITS = [[1e9, "s", 1e-9], [1e6, "ms", 1e-6], [1e5, "\u00b5s", 1e-3], [0, "", 1]];

  const number = (value, digits = 3) => {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    const rounded = Number(`${mantissa}e${exponent}`);
    const decimals = Math.min(Math.max(digits - 1 - exponent, 0), 2);
    const text = Math.abs(rounded).toFixed(decimals);
    if (Number(text) === 0) return "0";
    const [whole, rest] = text.split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
    return (rounded < 0 ? MINUS : "") + grouped + (Number(rest) ? `.${rest}` : "");
  };

  const half = ([value, low, high]) => low === null ? Infinity : Math.max(high - value, value - low);

  const halfWidth = (estimate, scale = 1) => {
    const width = half(estimate) * scale;
    if (width === Infinity) return "\u00b1?";
    return width >= 0.005 || width === 0 ? `\u00b1${number(width, 2)}` : "\u00b1<0.01";
  };

  const brief = estimate => {
    const width = half(estimate);
    const size = Math.max(Math.abs(estimate[0]), width === Infinity ? 0 : width);
    const [, unit, scale] = UNITS.find(([above]) => size >= above);
    return [number(estimate[0] * scale) + (unit && THIN + unit), halfWidth(estimate, scale)];
  };

  const bounds = ([, low, high], scale = 1) => low === null
    ? " (no interval: fewer than two processes)"
    : ` (95${THIN}%: ${number(low * scale)} \u2026 ${number(high * scale)})`;

  const percent = (share, digits = 3) => `${number(share * 100, digits)}${THIN}%`;
  const spelled = estimate => `${number(estimate[0])} ns${bounds(estimate)}`;
  const times = estimate => `${number(estimate[0])} ${TIMES}${bounds(estimate)}`;
  const share = estimate => percent(estimate[0]) + bounds(estimate, 100);
  const signed = (text, value) => value > 0 && text !== "0" ? `+${text}` : text;
  const counted = (count, noun, plural = `${noun}s`) => `${number(count, 9)} ${count === 1 ? noun : plural}`;

  const instructions = count => Math.abs(count) >= 1e7
    ? `${number(count / 1e6, 4)}${THIN}M`
    : number(count, Math.max(4, String(Math.round(Math.abs(count))).length));

  // A change in per cent: one decimal below ten, and no sign for nothing.
  const change = part => {
    const size = Math.abs(100 * part);
    const text = size.toFixed(size < 9.95 ? 1 : 0).replace(/\B(?=(\d{3})+$)/g, THIN);
    return `${Number(size.toFixed(1)) === 0 ? "" : part < 0 ? MINUS : "+"}${text}${THIN}%`;
  };

  return {TIMES, number, half, halfWidth, brief, bounds, percent, spelled, times, share, signed, counted, instructions, change};
})();
