import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { ask, CallError } from '../../pages/manage/client/panel.ts';
import { useEvery } from '../../pages/manage/ui/hooks.ts';
import type { PinEdge, PinFacts } from '../gpio/contract.ts';
import type { JournalEntry } from './contract.ts';

/** How often what is new is read, in milliseconds. */
const EVERY_MS = 5_000;
/** Entries that the page keeps at most. */
const MOST = 5_000;
const AT_ONCE = 500;
const NEW_AT_ONCE = 100;

/** What the timeline has read so far. */
export interface TimelineFacts {
  /** Newest first, without a gap. */
  readonly entries: readonly JournalEntry[];
  /** Whether nothing is older than these. */
  readonly isAll: boolean;
  /** Newest first. */
  readonly edges: readonly PinEdge[];
  readonly pins: readonly PinFacts[];
  /** When the panel began to note edges; undefined without pins. */
  readonly since: number | undefined;
  /** The panel's clock, as far as it is known. */
  readonly now: number;
}

const NOTHING: TimelineFacts = {
  entries: [],
  isAll: false,
  edges: [],
  pins: [],
  since: undefined,
  now: Date.now(),
};

/** Reads the journal as far back as a time range asks for, and the last edges; then follows what is new. */
export function useTimeline(rangeMs: number) {
  const kept = useRef(NOTHING);
  const isReading = useRef(false);
  const isThere = useRef(true);
  const [shown, show] = useState<TimelineFacts>();
  const [error, setError] = useState<CallError>();
  const read = useCallback(async () => {
    if (isReading.current) return;
    isReading.current = true;
    try {
      const wires = await wiresNow();
      const newer = await withNewer(kept.current);
      kept.current = await withOlder({ ...newer, ...wires }, wires.now - rangeMs);
      if (!isThere.current) return;
      show(kept.current);
      setError(undefined);
    } catch (failure) {
      if (!(failure instanceof CallError)) throw failure;
      if (isThere.current) setError(failure);
    } finally {
      isReading.current = false;
    }
  }, [rangeMs]);
  useEffect(() => {
    isThere.current = true;
    void read();
    return () => {
      isThere.current = false;
    };
  }, [read]);
  useEvery(EVERY_MS, read);
  return { facts: shown, error, read };
}

/** The pins and their edges; a panel without pins has none. */
async function wiresNow(): Promise<Pick<TimelineFacts, 'edges' | 'pins' | 'since' | 'now'>> {
  try {
    const { edges, since, until } = await ask<ResultOf<'gpio.edges'>>('gpio.edges', { limit: 1_000 });
    const { pins } = await ask<ResultOf<'gpio.list'>>('gpio.list');
    return { edges, pins, since: Date.parse(since), now: Date.parse(until) };
  } catch (failure) {
    if (!(failure instanceof CallError) || !failure.isMissing) throw failure;
    return { edges: [], pins: [], since: undefined, now: Date.now() };
  }
}

function page(limit: number, before?: string): Promise<{ entries: JournalEntry[] }> {
  return ask('journal.read', { limit, before });
}

/** With what was noted since. Where it is too much to be read, what was known before is forgotten: there is no gap. */
async function withNewer(facts: TimelineFacts): Promise<TimelineFacts> {
  const newest = facts.entries[0]?.time;
  // A journal that was empty is read from its end again.
  if (newest === undefined) return { ...facts, isAll: false };
  const { entries } = await page(NEW_AT_ONCE);
  const fresh = entries.filter(({ time }) => time > newest);
  if (fresh.length === 0) return facts;
  if (fresh.length === NEW_AT_ONCE) return { ...facts, entries: fresh, isAll: false };
  return { ...facts, entries: [...fresh, ...facts.entries] };
}

async function withOlder(facts: TimelineFacts, from: number): Promise<TimelineFacts> {
  let { entries, isAll } = facts;
  while (!isAll && entries.length < MOST && timeOf(entries.at(-1)) > from) {
    const { entries: older } = await page(AT_ONCE, entries.at(-1)?.time);
    entries = [...entries, ...older];
    isAll = older.length < AT_ONCE;
  }
  return entries.length > MOST
    ? { ...facts, entries: entries.slice(0, MOST), isAll: false }
    : { ...facts, entries, isAll };
}

/** Of no entry: later than all. */
function timeOf(entry: JournalEntry | undefined): number {
  return entry === undefined ? Number.POSITIVE_INFINITY : Date.parse(entry.time);
}
