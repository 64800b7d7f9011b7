import { executionAsyncResource } from 'node:async_hooks';

/** Entries of the queue of `process.nextTick` that are never let go. */
const kept: object[] = [];

/**
 * Keeps `process.nextTick` as fast as it begins, which every stream, socket and request calls several times. V8 makes
 * an entry of its queue quickly while it knows the shape of the entries. A garbage collection that meets no entry drops
 * the shape, and from then on each call takes ten times as long, until the process ends. One entry that stays keeps it.
 * Call it before the first collection.
 */
export function keepTicksQuick(): void {
  process.nextTick(() => kept.push(executionAsyncResource()));
}
