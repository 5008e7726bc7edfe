// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of an emulated block, or of the blocks of a cluster, as fibers: who waits for others gives way to them.

#ifndef FXGRAPH_LIB_BACKEND_GPU_RUN_THREADBLOCK_H
#define FXGRAPH_LIB_BACKEND_GPU_RUN_THREADBLOCK_H

#include "fxgraph/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace fxgraph::gpu {

/// The threads of one block, or of a cluster of blocks of whole warps. One such runs at a time.
class ThreadBlock {
public:
  /// `size` threads of each of `numBlocks` blocks, whose shared memory lies `sharedBytes` apart.
  ThreadBlock(unsigned size, unsigned numBlocks, uint64_t sharedBytes, llvm::function_ref<void(unsigned)> body)
      : body(body), size(size), sharedBytes(sharedBytes), threads(size * numBlocks), warps((threads.size() + 31) / 32),
        blocks(numBlocks) {
    for (size_t i = 0; i < threads.size(); ++i)
      ++warps[i / 32].alive;
    for (Barrier &block : blocks)
      block.alive = size;
    cluster.alive = alive = threads.size();
  }

  void run() {
    current = this;
    for (unsigned i = 0; i < threads.size(); ++i) {
      Thread &thread = threads[i];
      thread.stack.reset(new char[stackBytes]);
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.get();
      thread.context.uc_stack.ss_size = stackBytes;
      thread.context.uc_link = &scheduler;
      makecontext(&thread.context, &ThreadBlock::start, 0);
    }
    // Round robin; who waits is skipped until what it waits for has happened.
    while (alive > 0) {
      bool moved = false;
      for (unsigned i = 0; i < threads.size(); ++i) {
        Thread &thread = threads[i];
        if (thread.done || (thread.waitsFor && *thread.waitsFor == thread.seen))
          continue;
        thread.waitsFor = nullptr;
        running = i;
        moved = true;
        swapcontext(&scheduler, &thread.context);
      }
      if (!moved)
        llvm::report_fatal_error("the emulated kernel waits for threads that never arrive");
    }
    current = nullptr;
  }

  void barrier() { blocks[running / size].wait(*this); }

  /// barrier.cluster.arrive, and wait.
  void arriveInCluster() {
    Thread &thread = threads[running];
    thread.clusterRounds = cluster.rounds;
    ++cluster.arrived;
    cluster.release();
  }
  void waitForCluster() { waitWhile(cluster.rounds, threads[running].clusterRounds); }
  /// Of shared memory of the running thread's block: the same place of another block's.
  uint64_t mapShared(uint64_t address, unsigned block) const {
    return address + (static_cast<uint64_t>(block) - running / size) * sharedBytes;
  }

  uint32_t shuffle(uint32_t value, uint32_t offset) {
    Thread &thread = threads[running];
    Warp &warp = warps[running / 32];
    unsigned lane = running % 32, before = warp.rounds;
    // Two sets of slots: nobody overwrites one before all have read it.
    unsigned parity = thread.shuffles++ % 2;
    warp.slots[parity][lane] = value;
    ++warp.arrived;
    releaseWarp(warp);
    waitWhile(warp.rounds, before);
    return warp.slots[parity][lane ^ offset];
  }

  static constexpr unsigned wordsPerLane = 8;
  using LaneWords = uint32_t[wordsPerLane];
  /// Publishes `count` words; then those of all lanes of the warp may be read.
  const LaneWords *gather(const uint32_t *words, unsigned count) {
    Thread &thread = threads[running];
    Warp &warp = warps[running / 32];
    unsigned before = warp.rounds, parity = thread.shuffles++ % 2;
    std::copy(words, words + count, warp.words[parity][running % 32]);
    ++warp.arrived;
    releaseWarp(warp);
    waitWhile(warp.rounds, before);
    return warp.words[parity];
  }

  unsigned getLane() const { return running % 32; }
  unsigned getThread() const { return running % size; }

  /// bar.sync with a number of threads of a block.
  void barrier(unsigned id, unsigned count) {
    Named &barrier = named[{running / size, id}];
    unsigned before = barrier.rounds;
    if (++barrier.arrived == count) {
      barrier.arrived = 0;
      ++barrier.rounds;
    }
    waitWhile(barrier.rounds, before);
  }

  /// Asynchronous copies of a thread: those of a group are made when it is waited for.
  class Copies {
  public:
    void add(std::function<void()> copy) { open.push_back(std::move(copy)); }
    void commit() { groups.push_back(std::exchange(open, {})); }
    void wait(size_t left) {
      for (; groups.size() > left; groups.pop_front())
        for (const std::function<void()> &copy : groups.front())
          copy();
    }
    bool isEmpty() const { return open.empty() && groups.empty(); }

  private:
    std::vector<std::function<void()>> open;
    std::deque<std::vector<std::function<void()>>> groups;
  };
  /// cp.async, and cp.async.bulk from shared memory, of the running thread.
  Copies &getCopies() { return threads[running].copies; }
  Copies &getBulkCopies() { return threads[running].bulkCopies; }

  /// An mbarrier, by its address: a phase ends when all have arrived and all bytes too.
  struct Transaction {
    unsigned expected = 0, missing = 0, phase = 0;
    int64_t bytes = 0;
  };
  void initTransaction(uint64_t address, unsigned count) { transactions[address] = {count, count, 0, 0}; }
  void arrive(uint64_t address, unsigned threads, int64_t expectedBytes, int64_t movedBytes) {
    Transaction &barrier = transactions.at(address);
    barrier.missing -= threads;
    barrier.bytes += expectedBytes - movedBytes;
    if (barrier.missing == 0 && barrier.bytes == 0) {
      barrier.missing = barrier.expected;
      ++barrier.phase;
    }
  }
  /// Until the phase of this parity has ended.
  void waitForPhase(uint64_t address, unsigned parity) {
    Transaction &barrier = transactions.at(address);
    while (barrier.phase % 2 == parity)
      waitWhile(barrier.phase, barrier.phase);
  }

  static ThreadBlock *current;

private:
  static constexpr size_t stackBytes = 128 * 1024;
  struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool done = false;
    const unsigned *waitsFor = nullptr;
    unsigned seen = 0, shuffles = 0, clusterRounds = 0;
    Copies copies, bulkCopies;
  };
  /// Of all threads that are not done.
  struct Barrier {
    unsigned alive = 0, arrived = 0, rounds = 0;
    void release() {
      if (alive > 0 && arrived == alive) {
        arrived = 0;
        ++rounds;
      }
    }
    void wait(ThreadBlock &owner) {
      unsigned before = rounds;
      ++arrived;
      release();
      owner.waitWhile(rounds, before);
    }
  };
  struct Warp {
    unsigned alive = 0, arrived = 0, rounds = 0;
    uint32_t slots[2][32] = {};
    LaneWords words[2][32] = {};
  };

  static void start() {
    ThreadBlock *block = current;
    unsigned self = block->running;
    block->body(self);
    if (!block->threads[self].bulkCopies.isEmpty())
      llvm::report_fatal_error("the emulated kernel ends before copies of its shared memory");
    block->threads[self].done = true;
    --block->alive;
    --block->warps[self / 32].alive;
    for (Barrier *barrier : {&block->blocks[self / block->size], &block->cluster}) {
      --barrier->alive;
      barrier->release();
    }
    block->releaseWarp(block->warps[self / 32]);
  }

  void releaseWarp(Warp &warp) {
    if (warp.alive > 0 && warp.arrived == warp.alive) {
      warp.arrived = 0;
      ++warp.rounds;
    }
  }
  void waitWhile(const unsigned &counter, unsigned value) {
    if (counter != value)
      return; // The last to arrive.
    Thread &thread = threads[running];
    thread.waitsFor = &counter;
    thread.seen = value;
    swapcontext(&thread.context, &scheduler);
  }

  struct Named {
    unsigned arrived = 0, rounds = 0;
  };
  std::map<std::pair<unsigned, unsigned>, Named> named; ///< by block and id
  std::map<uint64_t, Transaction> transactions;
  llvm::function_ref<void(unsigned)> body;
  unsigned size;
  uint64_t sharedBytes;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<Barrier> blocks;
  Barrier cluster;
  ucontext_t scheduler;
  unsigned running = 0, alive = 0;
};

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_RUN_THREADBLOCK_H
