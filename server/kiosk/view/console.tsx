import { useCallback, useState } from 'preact/hooks';
import { CallError, call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { Card, Field } from '../../pages/manage/ui/card.tsx';
import { Feed } from '../../pages/manage/ui/feed.tsx';
import { developerMode, useStore } from '../../pages/manage/ui/store.ts';
import type { ConsoleEntry } from '../contract.ts';

/** Levels from the least to the worst; what failed without a word of the page is among the worst. */
const LEVELS = ['debug', 'log', 'info', 'warning', 'error'] as const;
const WORST = ['exception', 'network', 'security'];

/** What the kiosk page prints, and the errors in it. */
export function Console() {
  const isDeveloper = useStore(developerMode) === 'on';
  const [least, setLeast] = useState('debug');
  const wanted = useCallback(
    ({ level }: ConsoleEntry) =>
      WORST.includes(level) || LEVELS.indexOf(level as 'log') >= LEVELS.indexOf(least as 'log'),
    [least],
  );
  return (
    <>
      <Feed<ConsoleEntry> command="console.read" wanted={wanted} textOf={textOf} draw={Line}>
        <select
          aria-label={t('level')}
          data-testid="level"
          value={least}
          onChange={({ currentTarget }) => setLeast(currentTarget.value)}
        >
          {LEVELS.map((level) => (
            <option key={level} value={level}>
              {level === 'debug' ? t('allLevels') : level}
            </option>
          ))}
        </select>
      </Feed>
      {isDeveloper && <Evaluate />}
    </>
  );
}

function place({ url, line, column }: ConsoleEntry): string {
  return url === null ? '' : [url, line, column].filter((part) => part !== null).join(':');
}

function textOf(entry: ConsoleEntry): string {
  const { time, level, text, stack } = entry;
  return [`${time} ${level} ${text}`, place(entry), stack ?? ''].filter((part) => part !== '').join('\n');
}

function Line(entry: ConsoleEntry) {
  const { time, level, text, stack } = entry;
  return (
    <div class={`line ${level}`}>
      <time dateTime={time}>{time.slice(11, 23)}</time> <span class="level">{level}</span>{' '}
      <span class="text">{text}</span> <span class="place">{place(entry)}</span>
      {stack !== null && stack !== '' && (
        <details>
          <summary>{t('stack')}</summary>
          <pre>{stack}</pre>
        </details>
      )}
    </div>
  );
}

function Evaluate() {
  const [expression, setExpression] = useState('');
  const [answer, setAnswer] = useState<{ text: string; isError: boolean }>();
  const run = async () => {
    try {
      const { value } = await call('page.evaluate', { expression });
      setAnswer({ text: JSON.stringify(value, null, 2), isError: false });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setAnswer({ text: error.message, isError: true });
    }
  };
  return (
    <Card title={t('evaluate')} wide>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field label={t('expression')}>
          <textarea
            rows={2}
            required
            spellcheck={false}
            data-testid="expression"
            value={expression}
            onInput={({ currentTarget }) => setExpression(currentTarget.value)}
          />
        </Field>
        <div class="row end">
          <button type="submit" class="primary" data-testid="run">
            {t('run')}
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {answer !== undefined && (
          <pre class={answer.isError ? 'mistake' : ''} data-testid="value">
            {answer.text}
          </pre>
        )}
      </div>
    </Card>
  );
}
