import { useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Problem, TextField } from '../../pages/manage/ui/card.tsx';
import { useTried } from '../../pages/manage/ui/hooks.ts';

type Outcome = ResultOf<'terminal.exec'>;

/** Runs commands on the panel, for tokens that may. */
export function CommandLine() {
  const [command, setCommand] = useState('');
  const { isBusy, outcome, error, run: attempt } = useTried<Outcome>();
  const run = () => attempt(() => call('terminal.exec', { command }));
  return (
    <Card title={t('commandLine')} wide>
      <p class="hint">{t('commandLineHint')}</p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <TextField label={t('shellCommand')} value={command} onText={setCommand} testId="shell-command" />
        <button type="submit" class="primary" data-testid="shell-run" disabled={isBusy || command === ''}>
          {t('run')}
        </button>
      </form>
      <CallShown command="terminal.exec" params={{ command }} />
      <Problem error={error} />
      {outcome !== undefined && (
        <div role="status" data-testid="shell-outcome">
          {outcome.stdout !== '' && <pre>{outcome.stdout}</pre>}
          {outcome.stderr !== '' && <pre class="mistake">{outcome.stderr}</pre>}
          <p class="hint">{t('exitCode', { code: outcome.exitCode, duration: outcome.duration })}</p>
        </div>
      )}
    </Card>
  );
}
