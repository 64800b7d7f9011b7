import { useState } from 'preact/hooks';
import { t } from '../../pages/manage/language.ts';
import { Feed } from '../../pages/manage/ui/feed.tsx';
import type { LogEntry } from './contract.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/** The log of the service. The panel filters by level, so that the last 500 lines are all of use. */
export function Log() {
  const [level, setLevel] = useState('');
  return (
    <Feed<LogEntry> command="log.read" params={level === '' ? {} : { level }} textOf={textOf} draw={Line}>
      <select
        aria-label={t('level')}
        data-testid="level"
        value={level}
        onChange={({ currentTarget }) => setLevel(currentTarget.value)}
      >
        <option value="">{t('allLevels')}</option>
        {LEVELS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </Feed>
  );
}

function textOf(line: LogEntry): string {
  return JSON.stringify(line);
}

function Line({ time, level, msg, ...rest }: LogEntry) {
  const more = Object.keys(rest).length > 0;
  return (
    <div class={`line ${level}`}>
      <time dateTime={time}>{String(time).slice(11, 23)}</time> <span class="level">{level}</span>{' '}
      <span class="text">{msg}</span> {more && <span class="place">{JSON.stringify(rest)}</span>}
    </div>
  );
}
