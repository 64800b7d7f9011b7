import { useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import { CallError, call } from '../client/panel.ts';
import { t } from '../language.ts';
import { CallShown } from '../ui/callShown.tsx';
import { Card, Problem } from '../ui/card.tsx';
import { TextField } from '../ui/textField.tsx';

type Outcome = ResultOf<'terminal.exec'>;

/** Runs commands on the panel, for tokens that may. */
export function CommandLine() {
  const [command, setCommand] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<CallError>();
  const run = async () => {
    setBusy(true);
    setError(undefined);
    setOutcome(undefined);
    try {
      setOutcome(await call('terminal.exec', { command }));
    } catch (failure) {
      if (!(failure instanceof CallError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
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
