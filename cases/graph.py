"""Graphs, captured from a stream."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

NODES = 10

capture = case(
    "graph.capture_10",
    "Capture ten launches of an empty kernel, instantiate the graph, and destroy both.",
    calls=f"cuStreamBeginCapture {'cuLaunchKernel ' * NODES}cuStreamEndCapture"
    " cuGraphInstantiateWithFlags cuGraphExecDestroy cuGraphDestroy",
    references="#1579 #1580",
)


@capture("bindings")
def _(loop: Loop, cu: Subject) -> object:
    driver, kernel, stream = cu.driver, cu.kernel("empty"), cu.stream
    begin, launch, end = driver.cuStreamBeginCapture, driver.cuLaunchKernel, driver.cuStreamEndCapture
    instantiate, destroy_executable, destroy = driver.cuGraphInstantiate, driver.cuGraphExecDestroy, driver.cuGraphDestroy
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    out = None
    for _ in loop:
        begin(stream, mode)
        for _node in range(NODES):
            launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0)
        _, graph = end(stream)
        _, executable = instantiate(graph, 0)
        destroy_executable(executable)
        out = destroy(graph)
    return out


@capture(
    "core",
    calls=f"cuStreamBeginCapture cuStreamGetCaptureInfo {'cuLaunchKernelEx ' * NODES}cuStreamGetCaptureInfo cuStreamEndCapture"
    " cuUserObjectCreate cuGraphRetainUserObject cuGraphInstantiateWithParams cuGraphReleaseUserObject"
    " cuGraphExecDestroy cuGraphDestroy",
    differs="cuda.core launches with cuLaunchKernelEx, asks twice what is captured, instantiates with"
    " cuGraphInstantiateWithParams, and gives the result a user object to keep alive what it may use later",
)
def _(loop: Loop, cu: Subject) -> object:
    launch, kernel, create_builder = cu.core.launch, cu.core_kernel("empty"), cu.core_stream.create_graph_builder
    config = cu.core.LaunchConfig(grid=1, block=1)
    for _ in loop:
        builder = create_builder().begin_building()
        for _node in range(NODES):
            launch(builder, config, kernel)
        graph = builder.end_building().complete()
        graph.close()
        builder.close()
    return None


launch_graph = case(
    "graph.launch",
    "Launch a graph of one empty kernel.",
    calls="cuGraphLaunch",
    asynchronous=True,
    references="#1579 #1580",
)


@launch_graph("bindings")
def _(loop: Loop, cu: Subject) -> object:
    driver, stream, launch = cu.driver, cu.stream, cu.driver.cuGraphLaunch
    kernel = cu.kernel("empty")
    cu.check(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED))
    cu.check(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0))
    graph = cu.check(driver.cuStreamEndCapture(stream))
    executable = cu.check(driver.cuGraphInstantiate(graph, 0))
    out = None
    for _ in loop:
        out = launch(executable, stream)
    cu.check(driver.cuGraphExecDestroy(executable))
    cu.check(driver.cuGraphDestroy(graph))
    return out


@launch_graph("core")
def _(loop: Loop, cu: Subject) -> object:
    stream, kernel = cu.core_stream, cu.core_kernel("empty")
    builder = stream.create_graph_builder().begin_building()
    cu.core.launch(builder, cu.core.LaunchConfig(grid=1, block=1), kernel)
    graph = builder.end_building().complete()
    launch = graph.launch
    for _ in loop:
        launch(stream)
    graph.close()
    builder.close()
    return None
