import { useEffect, useState } from 'preact/hooks';
import { ask, CallError } from '../../pages/manage/client/panel.ts';
import { t, timeText } from '../../pages/manage/language.ts';
import { Problem } from '../../pages/manage/ui/card.tsx';
import type { JournalEntry } from './contract.ts';

const AT_ONCE = 100;

/** Who changed what, and when. */
export function Journal() {
  const [entries, setEntries] = useState<readonly JournalEntry[]>();
  const [isAll, setAll] = useState(false);
  const [filter, setFilter] = useState('');
  const [error, setError] = useState<CallError>();
  const read = async (before?: string) => {
    try {
      const { entries: older } = await ask<{ entries: JournalEntry[] }>('journal.read', {
        limit: AT_ONCE,
        before,
      });
      setEntries((newer = []) => (before === undefined ? older : [...newer, ...older]));
      setAll(older.length < AT_ONCE);
      setError(undefined);
    } catch (failure) {
      if (!(failure instanceof CallError)) throw failure;
      setError(failure);
    }
  };
  useEffect(() => void read(), []);
  if (entries === undefined)
    return error === undefined ? <p class="hint">{t('loading')}</p> : <Problem error={error} />;
  const words = filter.toLowerCase();
  const shown = entries.filter((entry) => JSON.stringify(entry).toLowerCase().includes(words));
  return (
    <div class="feed wide">
      <div class="row">
        <input
          type="search"
          aria-label={t('filter')}
          placeholder={t('filter')}
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <button type="button" onClick={() => void read()}>
          {t('refresh')}
        </button>
      </div>
      <Problem error={error} />
      <ul class="entries card" data-testid="journal">
        {shown.length === 0 && <li class="hint">{t('noEntries')}</li>}
        {shown.map((entry) => (
          <Entry key={entry.time} {...entry} />
        ))}
      </ul>
      {!isAll && (
        <button type="button" data-testid="older" onClick={() => void read(entries.at(-1)?.time)}>
          {t('older')}
        </button>
      )}
    </div>
  );
}

function Entry({ time, command, surface, caller, params, code, ms }: JournalEntry) {
  return (
    <li>
      <div class="grow">
        <strong>{command}</strong>
        <span class={`badge ${code === 'OK' ? 'good' : 'warm'}`}>{code}</span>
        <p class="hint">
          {[
            timeText(time),
            `${caller.name} (${[surface, caller.address].filter(Boolean).join(', ')})`,
            `${ms} ms`,
          ].join(' · ')}
        </p>
        <code>{JSON.stringify(params)}</code>
      </div>
    </li>
  );
}
