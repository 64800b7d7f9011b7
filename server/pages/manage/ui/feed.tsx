import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type CallError, type Params, panel } from '../client/panel.ts';
import { t } from '../language.ts';
import { Problem, SearchBox } from './card.tsx';
import { copyText } from './notice.tsx';

/** Entries that the page keeps; older ones are dropped. */
const KEPT = 2_000;
/** How long entries are gathered before the list is drawn again, in milliseconds. */
const DRAW_EVERY_MS = 200;

interface FeedProps<E> {
  readonly command: string;
  readonly params?: Params;
  /** Whether the entry is shown. */
  readonly wanted?: (entry: E) => boolean;
  /** All of its text, to search in and to copy. */
  readonly textOf: (entry: E) => string;
  readonly draw: (entry: E) => ComponentChildren;
  /** Further controls beside the filter. */
  readonly children?: ComponentChildren;
}

interface Numbered<E> {
  readonly id: number;
  readonly entry: E;
}

/** An endless list: live, with a filter; it can be paused, emptied and copied. */
export function Feed<E>({ command, params = {}, wanted, textOf, draw, children }: FeedProps<E>) {
  const { entries, isLive, error, clear } = useFeed<E>(command, params);
  const [filter, setFilter] = useState('');
  const [frozen, setFrozen] = useState<readonly Numbered<E>[]>();
  const words = filter.toLowerCase();
  const shown = useMemo(
    () =>
      (frozen ?? entries).filter(
        ({ entry }) => (wanted?.(entry) ?? true) && textOf(entry).toLowerCase().includes(words),
      ),
    [frozen, entries, wanted, words],
  );
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current && list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, [shown]);
  const newer = frozen === undefined ? 0 : entries.filter(({ id }) => id > (frozen.at(-1)?.id ?? 0)).length;
  return (
    <div class="feed wide">
      <div class="row">
        <SearchBox label={t('filter')} testId="filter" value={filter} onText={setFilter} />
        {children}
        <button
          type="button"
          data-testid="pause"
          aria-pressed={frozen !== undefined}
          onClick={() => setFrozen(frozen === undefined ? entries : undefined)}
        >
          {frozen === undefined ? t('pause') : t('goOn', { count: newer })}
        </button>
        <button
          type="button"
          data-testid="clear"
          onClick={() => {
            clear();
            setFrozen(undefined);
          }}
        >
          {t('clear')}
        </button>
        <button
          type="button"
          data-testid="copy-all"
          onClick={() => void copyText(shown.map(({ entry }) => textOf(entry)).join('\n'))}
        >
          {t('copyAll')}
        </button>
      </div>
      <p class="hint" aria-live="polite" data-testid="feed-state">
        {error === undefined && (isLive ? t('live') : t('streamBroke'))}
      </p>
      <Problem error={error} />
      <ol
        ref={list}
        class="lines"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys have to reach what scrolls.
        tabIndex={0}
        aria-label={t('newestLast')}
        data-testid="lines"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight > scrollHeight - 40;
        }}
      >
        {shown.length === 0 && <li class="hint">{t('noEntries')}</li>}
        {shown.map(({ id, entry }) => (
          <li key={id}>{draw(entry)}</li>
        ))}
      </ol>
    </div>
  );
}

/** What a command has sent since the view was opened. */
function useFeed<E>(command: string, params: Params) {
  const [entries, setEntries] = useState<readonly Numbered<E>[]>([]);
  const [isLive, setLive] = useState(false);
  const [error, setError] = useState<CallError>();
  const key = JSON.stringify(params);
  useEffect(() => {
    let lastId = 0;
    let waiting: Numbered<E>[] = [];
    setEntries([]);
    setError(undefined);
    const flush = setInterval(() => {
      if (waiting.length === 0) return;
      const arrived = waiting;
      waiting = [];
      setEntries((old) => [...old, ...arrived].slice(-KEPT));
    }, DRAW_EVERY_MS);
    const end = panel().follow(command, JSON.parse(key) as Params, {
      entry: (entry) => void waiting.push({ id: ++lastId, entry: entry as E }),
      open() {
        // The stored entries come again.
        waiting = [];
        setEntries([]);
        setLive(true);
      },
      ended(failure) {
        setLive(false);
        setError(failure);
      },
    });
    return () => {
      clearInterval(flush);
      end();
    };
  }, [command, key]);
  return { entries, isLive, error, clear: () => setEntries([]) };
}
