// Capture, what is illegal in it, and graphs.
#include <cstring>
#include <thread>

#include "tests/gpu/driver/driver_under_test.h"

namespace standin {
namespace {

class GraphsTest : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    stream_ = MadeStream();
    memory_ = Holding({0, 0});
  }
  void TearDown() override {
    MemFree(memory_);
    StreamDestroy(stream_);
    DriverTest::TearDown();
  }
  void Begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) {
    ASSERT_EQ(BeginCapture(stream_, mode), CUDA_SUCCESS);
  }
  // That the capture was ended by an error.
  void ExpectInvalidated() {
    EXPECT_EQ(MemsetD32Async(memory_, 1, 1, stream_), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CUgraph graph = nullptr;
    EXPECT_EQ(EndCapture(stream_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(StreamSynchronize(stream_), CUDA_SUCCESS);
  }
  void Run(CUgraph graph) {
    CUgraphExec exec = nullptr;
    ASSERT_EQ(GraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(GraphLaunch(exec, stream_), CUDA_SUCCESS);
    EXPECT_EQ(StreamSynchronize(stream_), CUDA_SUCCESS);
    EXPECT_EQ(GraphExecDestroy(exec), CUDA_SUCCESS);
  }
  static CUgraphNodeParams SetTo(CUdeviceptr memory, unsigned value) {
    CUgraphNodeParams params = {};
    params.type = CU_GRAPH_NODE_TYPE_MEMSET;
    params.memset = {memory, 0, value, 4, 1, 1};
    return params;
  }

  CUstream stream_ = nullptr;
  CUdeviceptr memory_ = 0;
};

void Increment(void* data) { ++*static_cast<int*>(data); }
void Decrement(void* data) { --*static_cast<int*>(data); }

TEST_F(GraphsTest, WhatIsCapturedRunsAtEachLaunch) {
  int calls = 0;
  Begin();
  CUstreamCaptureStatus status;
  EXPECT_EQ(IsCapturing(stream_, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(LaunchHostFunc(stream_, Increment, &calls), CUDA_SUCCESS);
  EXPECT_EQ(MemsetD32Async(memory_, 5, 1, stream_), CUDA_SUCCESS);
  EXPECT_EQ(DtoDAsync(memory_ + 4, memory_, 4, stream_), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(EndCapture(stream_, &graph), CUDA_SUCCESS);
  EXPECT_EQ(calls, 0);
  size_t count = 0;
  EXPECT_EQ(GraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(GraphGetRootNodes(graph, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  CUgraphNode root = nullptr;
  EXPECT_EQ(GraphGetRootNodes(graph, &root, &count), CUDA_SUCCESS);
  CUgraphNodeType type;
  EXPECT_EQ(GraphNodeGetType(root, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_HOST);

  CUgraphExec exec = nullptr;
  ASSERT_EQ(GraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(GraphDestroy(graph), CUDA_SUCCESS);
  for (int launch = 1; launch <= 3; ++launch) {
    EXPECT_EQ(GraphLaunch(exec, stream_), CUDA_SUCCESS);
    EXPECT_EQ(StreamSynchronize(stream_), CUDA_SUCCESS);
    EXPECT_EQ(calls, launch);
    EXPECT_EQ(Contents(memory_, 2), (std::vector<int>{5, 5}));
  }
  EXPECT_EQ(GraphExecDestroy(exec), CUDA_SUCCESS);
}

TEST_F(GraphsTest, WaitingForAStreamThatCapturesIsIllegal) {
  for (const auto& function : {StreamSynchronize, StreamQuery}) {
    Begin();
    EXPECT_EQ(function(stream_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    ExpectInvalidated();
  }
  Begin();
  EXPECT_EQ(CtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  ExpectInvalidated();
}

TEST_F(GraphsTest, TheLegacyStreamIsIllegalWhileABlockingStreamCaptures) {
  EXPECT_EQ(BeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  // This one is not blocking.
  Begin();
  int host = 0;
  EXPECT_EQ(MemsetD32Async(memory_, 1, 1, nullptr), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  EXPECT_EQ(EndCapture(stream_, &graph), CUDA_SUCCESS);
  GraphDestroy(graph);

  const CUstream other = stream_;
  stream_ = MadeStream(CU_STREAM_DEFAULT);
  Begin();
  EXPECT_EQ(MemsetD32Async(memory_, 1, 1, nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  ExpectInvalidated();
  Begin();
  EXPECT_EQ(DtoH(&host, memory_, 4), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  ExpectInvalidated();
  StreamDestroy(stream_);
  stream_ = other;
}

// What a stream's capture is asked for while it goes on.
struct CaptureInfo {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  uint64_t id = 0;
  CUgraph graph = nullptr;
  std::vector<CUgraphNode> dependencies;
  size_t nodes = 0;

  explicit CaptureInfo(CUstream stream) {
    const CUgraphNode* first = nullptr;
    size_t count = 0;
    EXPECT_EQ(GetCaptureInfo(stream, &status, &id, &graph, &first, &count), CUDA_SUCCESS);
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return;
    dependencies.assign(first, first + count);
    EXPECT_EQ(GraphGetNodes(graph, nullptr, &nodes), CUDA_SUCCESS);
  }
};

TEST_F(GraphsTest, ACaptureSaysHowFarItIs) {
  EXPECT_EQ(CaptureInfo(stream_).status, CU_STREAM_CAPTURE_STATUS_NONE);
  Begin();
  const CaptureInfo empty(stream_);
  EXPECT_EQ(empty.status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_NE(empty.graph, nullptr);
  EXPECT_EQ(empty.nodes, 0U);
  EXPECT_TRUE(empty.dependencies.empty());
  // What is done elsewhere is not in the graph, nor is an event.
  CUevent event = nullptr;
  ASSERT_EQ(EventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  EXPECT_EQ(MemsetD32Async(memory_, 1, 1, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(EventRecord(event, stream_), CUDA_SUCCESS);
  EXPECT_EQ(CaptureInfo(stream_).nodes, 0U);
  EXPECT_TRUE(CaptureInfo(stream_).dependencies.empty());
  // Each thing that is submitted is, and comes after the one before.
  EXPECT_EQ(MemsetD32Async(memory_, 1, 1, stream_), CUDA_SUCCESS);
  const CaptureInfo one(stream_);
  EXPECT_EQ(one.id, empty.id);
  EXPECT_EQ(one.graph, empty.graph);
  EXPECT_EQ(one.nodes, 1U);
  ASSERT_EQ(one.dependencies.size(), 1U);
  EXPECT_EQ(MemsetD32Async(memory_, 1, 1, stream_), CUDA_SUCCESS);
  const CaptureInfo two(stream_);
  EXPECT_EQ(two.nodes, 2U);
  ASSERT_EQ(two.dependencies.size(), 1U);
  EXPECT_NE(two.dependencies, one.dependencies);
  // What another stream records is in the graph too, before this one joins it.
  const CUstream other = MadeStream();
  EXPECT_EQ(EventRecord(event, stream_), CUDA_SUCCESS);
  EXPECT_EQ(StreamWaitEvent(other, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(MemsetD32Async(memory_ + 4, 1, 1, other), CUDA_SUCCESS);
  EXPECT_EQ(CaptureInfo(stream_).nodes, 3U);
  EXPECT_EQ(CaptureInfo(stream_).dependencies, two.dependencies);
  EXPECT_EQ(EventRecord(event, other), CUDA_SUCCESS);
  EXPECT_EQ(StreamWaitEvent(stream_, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(CaptureInfo(stream_).nodes, 3U);
  EXPECT_NE(CaptureInfo(stream_).dependencies, two.dependencies);
  CUgraph graph = nullptr;
  EXPECT_EQ(EndCapture(stream_, &graph), CUDA_SUCCESS);
  GraphDestroy(graph);
  StreamDestroy(other);
  EventDestroy(event);

  Begin();
  EXPECT_NE(CaptureInfo(stream_).id, two.id);
  EXPECT_EQ(StreamSynchronize(stream_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(CaptureInfo(stream_).status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  ExpectInvalidated();
}

TEST_F(GraphsTest, AskingOfACaptureDoesNotInvalidateIt) {
  const CUstream other = stream_;
  stream_ = MadeStream(CU_STREAM_DEFAULT);
  Begin();
  CUstreamCaptureStatus status;
  EXPECT_EQ(IsCapturing(nullptr, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(GetCaptureInfo(nullptr, &status, nullptr, nullptr, nullptr, nullptr),
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(CaptureInfo(stream_).status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraph graph = nullptr;
  EXPECT_EQ(EndCapture(stream_, &graph), CUDA_SUCCESS);
  GraphDestroy(graph);
  StreamDestroy(stream_);
  stream_ = other;
}

TEST_F(GraphsTest, AllocatingIsIllegalAsTheModeSays) {
  CUdeviceptr address = 0;
  Begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(MemAlloc(&address, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  ExpectInvalidated();

  CUgraph graph = nullptr;
  Begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  std::thread([&] {
    CtxSet(context_);
    EXPECT_EQ(MemAlloc(&address, 4), CUDA_SUCCESS);
  }).join();
  EXPECT_EQ(EndCapture(stream_, &graph), CUDA_SUCCESS);
  GraphDestroy(graph);
  MemFree(address);

  Begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(MemAlloc(&address, 4), CUDA_SUCCESS);
  EXPECT_EQ(EndCapture(stream_, &graph), CUDA_SUCCESS);
  GraphDestroy(graph);
  MemFree(address);

  // Where a thread takes the responsibility.
  Begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(ExchangeCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(MemAlloc(&address, 4), CUDA_SUCCESS);
  EXPECT_EQ(ExchangeCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(EndCapture(stream_, &graph), CUDA_SUCCESS);
  GraphDestroy(graph);
  MemFree(address);
}

TEST_F(GraphsTest, CaptureBeginsAndEndsOnce) {
  CUgraph graph = nullptr;
  EXPECT_EQ(EndCapture(stream_, &graph), CUDA_ERROR_ILLEGAL_STATE);
  Begin();
  EXPECT_EQ(BeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_ERROR_ILLEGAL_STATE);
  std::thread([&] {
    CtxSet(context_);
    EXPECT_EQ(EndCapture(stream_, &graph), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  }).join();
  EXPECT_EQ(EndCapture(stream_, &graph), CUDA_SUCCESS);
  EXPECT_EQ(GraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(GraphsTest, EventsForkAndJoin) {
  const CUstream other = MadeStream();
  CUevent fork = nullptr, join = nullptr;
  ASSERT_EQ(EventCreate(&fork, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(EventCreate(&join, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  Begin();
  EXPECT_EQ(MemsetD32Async(memory_, 3, 1, stream_), CUDA_SUCCESS);
  EXPECT_EQ(EventRecord(fork, stream_), CUDA_SUCCESS);
  EXPECT_EQ(StreamWaitEvent(other, fork, 0), CUDA_SUCCESS);
  EXPECT_EQ(DtoDAsync(memory_ + 4, memory_, 4, other), CUDA_SUCCESS);
  EXPECT_EQ(EventRecord(join, other), CUDA_SUCCESS);
  EXPECT_EQ(StreamWaitEvent(stream_, join, 0), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(EndCapture(stream_, &graph), CUDA_SUCCESS);
  Run(graph);
  EXPECT_EQ(Contents(memory_, 2), (std::vector<int>{3, 3}));
  EXPECT_EQ(GraphDestroy(graph), CUDA_SUCCESS);
  CUstreamCaptureStatus status;
  EXPECT_EQ(IsCapturing(other, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);

  Begin();
  EXPECT_EQ(EventRecord(fork, stream_), CUDA_SUCCESS);
  EXPECT_EQ(StreamWaitEvent(other, fork, 0), CUDA_SUCCESS);
  EXPECT_EQ(MemsetD32Async(memory_, 3, 1, other), CUDA_SUCCESS);
  EXPECT_EQ(EndCapture(stream_, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);

  Begin();
  EXPECT_EQ(EventRecord(fork, stream_), CUDA_SUCCESS);
  EXPECT_EQ(EventSynchronize(fork), CUDA_ERROR_CAPTURED_EVENT);
  ExpectInvalidated();

  EXPECT_EQ(EventRecord(join, other), CUDA_SUCCESS);
  Begin();
  EXPECT_EQ(StreamWaitEvent(stream_, join, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  ExpectInvalidated();
  EventDestroy(fork);
  EventDestroy(join);
  StreamDestroy(other);
}

TEST_F(GraphsTest, AreBuiltOfNodes) {
  int order = 0;
  CUgraph graph = nullptr, child = nullptr;
  ASSERT_EQ(GraphCreate(&graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(GraphCreate(&child, 0), CUDA_SUCCESS);
  CUgraphNode set = nullptr, copy = nullptr, host = nullptr, nested = nullptr, in_child = nullptr;
  CUgraphNodeParams params = SetTo(memory_, 8);
  ASSERT_EQ(GraphAddNode(&set, graph, nullptr, 0, &params), CUDA_SUCCESS);
  CUDA_MEMCPY3D to_second = {};
  to_second.srcMemoryType = to_second.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  to_second.srcDevice = memory_;
  to_second.dstDevice = memory_ + 4;
  to_second.WidthInBytes = 4;
  to_second.Height = to_second.Depth = 1;
  ASSERT_EQ(GraphAddMemcpyNode(&copy, child, nullptr, 0, &to_second, context_), CUDA_SUCCESS);
  const CUDA_HOST_NODE_PARAMS increment = {Increment, &order};
  ASSERT_EQ(GraphAddHostNode(&in_child, child, &copy, 1, &increment), CUDA_SUCCESS);
  ASSERT_EQ(GraphAddChildGraphNode(&nested, graph, nullptr, 0, child), CUDA_SUCCESS);
  ASSERT_EQ(GraphAddHostNode(&host, graph, &nested, 1, &increment), CUDA_SUCCESS);
  EXPECT_EQ(GraphAddDependencies(graph, &set, &nested, 1), CUDA_SUCCESS);
  // The child was copied.
  EXPECT_EQ(GraphDestroy(child), CUDA_SUCCESS);
  Run(graph);
  EXPECT_EQ(Contents(memory_, 2), (std::vector<int>{8, 8}));
  EXPECT_EQ(order, 2);
  EXPECT_EQ(GraphAddNode(&host, graph, &in_child, 1, &params), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(GraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(GraphsTest, NodesOfAMovedChildAreUpdated) {
  int calls = 0;
  const CUDA_HOST_NODE_PARAMS increment = {Increment, &calls}, decrement = {Decrement, &calls};
  for (const auto ownership :
       {CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE}) {
    const bool is_moved = ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    calls = 0;
    CUgraph graph = nullptr, child = nullptr;
    ASSERT_EQ(GraphCreate(&graph, 0), CUDA_SUCCESS);
    ASSERT_EQ(GraphCreate(&child, 0), CUDA_SUCCESS);
    CUgraphNode in_child = nullptr, nested = nullptr, nobodys = nullptr;
    ASSERT_EQ(GraphAddHostNode(&in_child, child, nullptr, 0, &increment), CUDA_SUCCESS);
    CUgraphNodeParams params = {};
    params.type = CU_GRAPH_NODE_TYPE_GRAPH;
    params.graph = {child, ownership};
    const CUresult added = GraphAddNode(&nested, graph, nullptr, 0, &params);
    if (is_moved && added != CUDA_SUCCESS) GTEST_SKIP() << "this driver moves no graphs";
    ASSERT_EQ(added, CUDA_SUCCESS);
    CUgraphExec exec = nullptr;
    ASSERT_EQ(GraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(ExecHostNodeSetParams(exec, in_child, &decrement),
              is_moved ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(ExecHostNodeSetParams(exec, nobodys, &decrement), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(GraphLaunch(exec, stream_), CUDA_SUCCESS);
    EXPECT_EQ(StreamSynchronize(stream_), CUDA_SUCCESS);
    EXPECT_EQ(calls, is_moved ? -1 : 1);
    EXPECT_EQ(GraphExecDestroy(exec), CUDA_SUCCESS);
    EXPECT_EQ(GraphDestroy(graph), CUDA_SUCCESS);
    if (!is_moved) {
      EXPECT_EQ(GraphDestroy(child), CUDA_SUCCESS);
    }
  }
}

TEST_F(GraphsTest, ExecutablesAreUpdated) {
  int calls = 0;
  CUgraph graph = nullptr, other = nullptr;
  ASSERT_EQ(GraphCreate(&graph, 0), CUDA_SUCCESS);
  CUgraphNode node = nullptr;
  const CUDA_HOST_NODE_PARAMS increment = {Increment, &calls}, decrement = {Decrement, &calls};
  ASSERT_EQ(GraphAddHostNode(&node, graph, nullptr, 0, &increment), CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  ASSERT_EQ(GraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(ExecHostNodeSetParams(exec, node, &decrement), CUDA_SUCCESS);
  EXPECT_EQ(GraphLaunch(exec, stream_), CUDA_SUCCESS);
  EXPECT_EQ(StreamSynchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(calls, -1);
  CUgraphExecUpdateResultInfo info;
  EXPECT_EQ(GraphExecUpdate(exec, graph, &info), CUDA_SUCCESS);
  EXPECT_EQ(GraphLaunch(exec, stream_), CUDA_SUCCESS);
  EXPECT_EQ(StreamSynchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(calls, 0);
  CUgraphNode added = nullptr;
  ASSERT_EQ(GraphCreate(&other, 0), CUDA_SUCCESS);
  CUgraphNodeParams params = SetTo(memory_, 8);
  ASSERT_EQ(GraphAddNode(&added, other, nullptr, 0, &params), CUDA_SUCCESS);
  EXPECT_EQ(GraphExecUpdate(exec, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  ASSERT_EQ(GraphAddNode(&added, other, &added, 1, &params), CUDA_SUCCESS);
  EXPECT_EQ(GraphExecUpdate(exec, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_EQ(GraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(GraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(GraphDestroy(other), CUDA_SUCCESS);
}

TEST_F(GraphsTest, CapturesIntoAGraphThatIsThere) {
  CUgraph graph = nullptr, ended = nullptr;
  ASSERT_EQ(GraphCreate(&graph, 0), CUDA_SUCCESS);
  CUgraphNode node = nullptr;
  CUgraphNodeParams params = SetTo(memory_, 6);
  ASSERT_EQ(GraphAddNode(&node, graph, nullptr, 0, &params), CUDA_SUCCESS);
  ASSERT_EQ(
      BeginCaptureToGraph(stream_, graph, &node, nullptr, 1, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      CUDA_SUCCESS);
  EXPECT_EQ(DtoDAsync(memory_ + 4, memory_, 4, stream_), CUDA_SUCCESS);
  EXPECT_EQ(EndCapture(stream_, &ended), CUDA_SUCCESS);
  EXPECT_EQ(ended, graph);
  Run(graph);
  EXPECT_EQ(Contents(memory_, 2), (std::vector<int>{6, 6}));
  EXPECT_EQ(GraphDestroy(graph), CUDA_SUCCESS);
}

}  // namespace
}  // namespace standin
