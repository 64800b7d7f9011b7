import { useRef, useState } from 'preact/hooks';
import { CallError, call, panel } from '../../pages/manage/client/panel.ts';
import { bytesText, t, timeText } from '../../pages/manage/language.ts';
import { Card, Facts, Loading } from '../../pages/manage/ui/card.tsx';
import { confirmed } from '../../pages/manage/ui/dialog.tsx';
import { useCall, useEvent, useEvery } from '../../pages/manage/ui/hooks.ts';
import { attempt, notice, Progress } from '../../pages/manage/ui/notice.tsx';
import type { UpdateState } from './contract.ts';

/** How often the panel is asked, in milliseconds: it may have restarted since its last event. */
const EVERY_MS = 5_000;

/** The version of the panel: which one it is, which one it could be, and how far that is. */
export function UpdateCard() {
  const update = useCall<UpdateState>('update.state');
  const [told, setTold] = useState<UpdateState>();
  const reload = async () => {
    await update.reload();
    setTold(undefined);
  };
  useEvent('update', (state) => setTold(state as UpdateState));
  useEvery(EVERY_MS, () => {
    if (!update.error?.isMissing) void reload();
  });
  const data = told ?? update.data;
  return (
    <Card title={t('update')} wide>
      <Loading of={{ data, error: update.error }}>
        {(now) => (
          <>
            <Now now={now} />
            <Actions now={now} reload={reload} />
            {panel().door === 'browser' && <FromFile isIdle={now.state === 'idle'} reload={reload} />}
          </>
        )}
      </Loading>
    </Card>
  );
}

function Now({ now }: { now: UpdateState }) {
  const { installed, slot, available, state, progress, last } = now;
  const words = t(`update_${state}`);
  return (
    <>
      <Facts
        rows={[
          [t('updateInstalled'), slot === null ? installed : `${installed} (${slot})`],
          [t('updateAvailable'), <Available key="available" available={available} />],
          [t('updateLast'), last && <Last key="last" last={last} />],
        ]}
      />
      <div class="row progress" role="status" data-testid="update-state" data-state={state}>
        {progress !== null && <progress aria-label={words} value={progress} max={100} />}
        {state !== 'idle' && <span>{progress === null ? words : `${words} ${progress} %`}</span>}
      </div>
    </>
  );
}

function Available({ available }: Pick<UpdateState, 'available'>) {
  if (available === null) return <>{t('updateNone')}</>;
  const { version, size, notes } = available;
  return (
    <>
      {size === null ? version : `${version} · ${bytesText(size)}`}
      {notes !== null && <p class="hint">{notes}</p>}
    </>
  );
}

function Last({ last }: { last: NonNullable<UpdateState['last']> }) {
  const { version, result, reason, at } = last;
  const words = result === 'good' ? t('update_good', { version }) : undefined;
  return (
    <span data-testid="update-last">
      {words ?? t('update_returned', { version, reason: reason ?? '' })} <small>{timeText(at)}</small>
    </span>
  );
}

interface ActionsProps {
  readonly now: UpdateState;
  readonly reload: () => Promise<void>;
}

function Actions({ now: { available, state }, reload }: ActionsProps) {
  const take = async (version: string) => {
    if (!(await confirmed(t('updateTakeSure', { version }), t('install'), 'primary'))) return;
    await attempt(() => call('update.fetch'), t('updateTaken', { version }));
    await reload();
  };
  const back = async () => {
    if (!(await confirmed(t('updateReturnSure'), t('updateReturn')))) return;
    await attempt(async () => {
      const { version } = await call('update.return');
      notice(t('updateReturning', { version }));
    });
    await reload();
  };
  return (
    <div class="row">
      {available !== null && (
        <button
          type="button"
          class="primary"
          data-testid="update-take"
          disabled={state !== 'idle'}
          onClick={() => void take(available.version)}
        >
          {t('updateTake', { version: available.version })}
        </button>
      )}
      <button
        type="button"
        data-testid="update-return"
        disabled={state === 'fetching' || state === 'installing'}
        onClick={() => void back()}
      >
        {t('updateReturn')}
      </button>
    </div>
  );
}

function FromFile({ isIdle, reload }: { isIdle: boolean; reload: () => Promise<void> }) {
  const [isOlder, setOlder] = useState(false);
  const [running, setRunning] = useState<{ part: number; end: () => void }>();
  const [mistake, setMistake] = useState('');
  const chooser = useRef<HTMLInputElement>(null);
  const send = async (file: File) => {
    const ending = new AbortController();
    const tell = (part: number) => setRunning({ part, end: () => ending.abort() });
    tell(0);
    setMistake('');
    try {
      const params = isOlder ? { older: true } : {};
      const made = await panel().upload('update.install', params, file, tell, ending.signal);
      notice(t('updateTaken', { version: (made as { version: string }).version }));
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setMistake(error.message);
    } finally {
      setRunning(undefined);
      await reload();
    }
  };
  return (
    <>
      <p class="hint">{t('updateFileHint')}</p>
      <div class="row">
        <button
          type="button"
          data-testid="update-choose"
          disabled={!isIdle || running !== undefined}
          onClick={() => chooser.current?.click()}
        >
          {t('updateFile')}
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={isOlder}
            data-testid="update-older"
            onChange={({ currentTarget }) => setOlder(currentTarget.checked)}
          />
          {t('updateOlder')}
        </label>
      </div>
      <input
        ref={chooser}
        type="file"
        hidden
        accept=".deb"
        data-testid="update-file"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // The same file can be chosen again.
          currentTarget.value = '';
          if (file !== undefined) void send(file);
        }}
      />
      {running !== undefined && running.part < 1 && <Progress {...running} />}
      <p class="mistake" role="alert" data-testid="update-mistake">
        {mistake}
      </p>
    </>
  );
}
