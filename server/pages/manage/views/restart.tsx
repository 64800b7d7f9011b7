import { call } from '../client/panel.ts';
import { language, t } from '../language.ts';
import { showDialog } from '../ui/dialog.tsx';
import { attempt } from '../ui/notice.tsx';

/** What can be started again, from the smallest; each says what it does, so one answer is enough. */
const RESTARTS = [
  ['reload', 'kiosk.reload', 'reloaded'],
  ['restart', 'system.restart', 'restarting'],
  ['reboot', 'system.reboot', 'rebooting'],
] as const;

/** All of them, with a button each. @param onChosen is called before it is done */
export function Restarts({ onChosen }: { onChosen?: () => void }) {
  return (
    <ul class="restarts">
      {RESTARTS.map(([name, command, done]) => (
        <li key={name}>
          <p class="grow">
            <strong>{t(name)}</strong>
            <span class="hint">{t(`about_${name}`)}</span>
          </p>
          <button
            type="button"
            class={name === 'reload' ? '' : 'danger'}
            data-testid={name}
            aria-label={t(name)}
            onClick={() => {
              onChosen?.();
              void attempt(() => call(command), t(done));
            }}
          >
            {name === 'reload' ? t('reloadDo') : t('restartDo')}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Asks what to start again, and does it. */
export function restartChoice(): Promise<void> {
  return showDialog('restart-choice', t('quickRestart'), (close) => (
    <>
      <h2>{t('quickRestart')}</h2>
      <Restarts onChosen={close} />
      <div class="row end">
        <button type="button" data-testid="restart-cancel" onClick={close}>
          {t('cancel')}
        </button>
      </div>
    </>
  ));
}

/** Seconds as days, hours and minutes, in short words of the language. */
export function uptimeText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor((seconds % 86_400) / 3_600), 'hour'],
    [Math.floor((seconds % 3_600) / 60), 'minute'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return (shown.length > 0 ? shown : parts.slice(2))
    .map(([count, unit]) =>
      new Intl.NumberFormat(language.get(), { style: 'unit', unit, unitDisplay: 'short' }).format(count),
    )
    .join(' ');
}
