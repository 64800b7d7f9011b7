import { useRef, useState } from 'preact/hooks';
import { CallError, panel } from '../../pages/manage/client/panel.ts';
import { bytesText, settingName, t } from '../../pages/manage/language.ts';
import { Card, Field, InBrowser } from '../../pages/manage/ui/card.tsx';
import { confirmed } from '../../pages/manage/ui/dialog.tsx';
import { attempt, Progress } from '../../pages/manage/ui/notice.tsx';

/** The panel as a file, and back. */
export function Backup() {
  if (panel().door === 'glass') return <InBrowser title={t('backup')} />;
  return (
    <>
      <Save />
      <Restore />
    </>
  );
}

function Save() {
  const [passphrase, setPassphrase] = useState('');
  const [projects, setProjects] = useState(true);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    await attempt(async () => {
      const params = { projects, ...(passphrase !== '' && { passphrase }) };
      offer(
        await panel().media('backup.create', params),
        `faceplate-${new Date().toISOString().slice(0, 10)}.zip`,
      );
    }, t('backupMade'));
    setBusy(false);
  };
  return (
    <Card title={t('backupSave')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label={t('passphrase')} hint={t('passphraseHint')}>
          <input
            type="password"
            autoComplete="new-password"
            maxLength={256}
            data-testid="backup-passphrase"
            value={passphrase}
            onInput={({ currentTarget }) => setPassphrase(currentTarget.value)}
          />
        </Field>
        <label class="check">
          <input
            type="checkbox"
            checked={projects}
            data-testid="backup-projects"
            onChange={({ currentTarget }) => setProjects(currentTarget.checked)}
          />
          {t('withProjects')}
        </label>
        <button type="submit" class="primary" data-testid="backup-save" disabled={isBusy}>
          {isBusy ? t('loading') : t('backupSave')}
        </button>
      </form>
    </Card>
  );
}

/** Hands a file to the person, as browsers do. */
function offer(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

interface Restored {
  readonly restored: readonly string[];
  readonly restartNeeded: readonly string[];
  readonly skipped?: readonly string[];
  readonly cleared?: readonly string[];
}

function Restore() {
  const [file, setFile] = useState<File>();
  const [passphrase, setPassphrase] = useState('');
  const [running, setRunning] = useState<{ part: number; end: () => void }>();
  const [mistake, setMistake] = useState('');
  const [done, setDone] = useState<Restored>();
  const chooser = useRef<HTMLInputElement>(null);
  const restore = async (given: File) => {
    if (!(await confirmed(t('restoreSure'), t('restore')))) return;
    const ending = new AbortController();
    const tell = (part: number) => setRunning({ part, end: () => ending.abort() });
    tell(0);
    setMistake('');
    setDone(undefined);
    try {
      const params = passphrase === '' ? {} : { passphrase };
      setDone((await panel().upload('backup.restore', params, given, tell, ending.signal)) as Restored);
      setFile(undefined);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setMistake(error.message);
    } finally {
      setRunning(undefined);
    }
  };
  return (
    <Card title={t('restore')}>
      <p class="hint">{t('restoreHint')}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (file !== undefined) void restore(file);
        }}
      >
        <div class="row">
          <button type="button" onClick={() => chooser.current?.click()}>
            {t('chooseFile')}
          </button>
          <span>{file !== undefined && `${file.name} · ${bytesText(file.size)}`}</span>
        </div>
        <input
          ref={chooser}
          type="file"
          hidden
          accept=".zip"
          data-testid="restore-file"
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
        />
        <Field label={t('passphrase')} hint={t('passphraseNeeded')}>
          <input
            type="password"
            autoComplete="off"
            data-testid="restore-passphrase"
            value={passphrase}
            onInput={({ currentTarget }) => setPassphrase(currentTarget.value)}
          />
        </Field>
        <button
          type="submit"
          class="danger"
          data-testid="restore"
          disabled={file === undefined || running !== undefined}
        >
          {t('restore')}
        </button>
      </form>
      {running !== undefined && <Progress {...running} />}
      <p class="mistake" role="alert" data-testid="restore-mistake">
        {mistake}
      </p>
      {done !== undefined && (
        <div role="status" data-testid="restored">
          <p class="good">{t('restoredWhat', { what: done.restored.join(', ') || t('none') })}</p>
          {done.restartNeeded.length > 0 && (
            <p class="warm">{t('restartNeeded', { keys: done.restartNeeded.map(settingName).join(', ') })}</p>
          )}
          {(done.skipped ?? []).length > 0 && (
            <p class="hint">{t('restoreSkipped', { keys: (done.skipped ?? []).join(', ') })}</p>
          )}
          {(done.cleared ?? []).length > 0 && (
            <p class="warm">{t('restoreCleared', { keys: (done.cleared ?? []).join(', ') })}</p>
          )}
        </div>
      )}
    </Card>
  );
}
