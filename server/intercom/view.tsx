import { useState } from 'preact/hooks';
import type { SettingsAnswer } from '../config/contract.ts';
import type { ResultOf } from '../contract/commands.ts';
import { CallError, call } from '../pages/manage/client/panel.ts';
import { ValueField } from '../pages/manage/fields/valueField.tsx';
import { fieldText, hasText, t } from '../pages/manage/language.ts';
import { type Mistake, mistakeIn, valueFrom } from '../pages/manage/settingValue.ts';
import { CallShown } from '../pages/manage/ui/callShown.tsx';
import { Card, EmptyState, Facts, Loading, Switch, TextField } from '../pages/manage/ui/card.tsx';
import { confirmed, showDialog } from '../pages/manage/ui/dialog.tsx';
import { fieldFor } from '../pages/manage/ui/editor.tsx';
import { settingPath } from '../pages/manage/ui/finder.ts';
import { useCall, useEvent, useEvery } from '../pages/manage/ui/hooks.ts';
import { attempt, notice } from '../pages/manage/ui/notice.tsx';
import { addressOf } from '../pages/manage/ui/route.ts';
import { MoreSettings, TurnedOff } from '../pages/manage/views/moreSettings.tsx';
import { CallHistory } from './viewHistory.tsx';

type State = ResultOf<'intercom.state'>;

/** How often to read again what no event announces, such as a door that failed, in milliseconds. */
const READ_EVERY_MS = 5_000;

/** The intercom, where it is on. */
export function Intercom() {
  const settings = useCall<SettingsAnswer>('settings.read');
  return (
    <Loading of={settings}>
      {({ settings: all, restartNeeded }) =>
        settingOf(all, 'sip.enabled') === true && !restartNeeded.includes('sip.enabled') ? (
          <Running hasRegistrar={settingOf(all, 'sip.registrar') !== ''} />
        ) : (
          <TurnedOff
            title={t('intercom')}
            icon="bell"
            words={t('sipOff')}
            action={t('sipTurnOn')}
            settings={{ 'sip.enabled': true }}
            onDone={settings.reload}
            isWaiting={restartNeeded.includes('sip.enabled')}
            testId="sip-off"
          />
        )
      }
    </Loading>
  );
}

function settingOf(settings: SettingsAnswer['settings'], key: string): unknown {
  const entry = settings[key];
  return entry !== undefined && 'value' in entry ? entry.value : undefined;
}

function Running({ hasRegistrar }: { hasRegistrar: boolean }) {
  const state = useCall<State>('intercom.state');
  useEvent('sip', () => void state.reload());
  useEvery(READ_EVERY_MS, state.reload);
  return (
    <Loading of={state}>
      {(now) => (
        <>
          <Status now={now} hasRegistrar={hasRegistrar} reload={state.reload} />
          <TestCall reload={state.reload} />
          <Doors doors={now.doors} reload={state.reload} />
          <Panels panels={now.panels} reload={state.reload} />
          <CallHistory history={now.history} />
          <MoreSettings path="devices/intercom" title={t('intercomSettings')} />
        </>
      )}
    </Loading>
  );
}

interface Reloading {
  readonly reload: () => Promise<void>;
}

function Status({ now, hasRegistrar, reload }: Reloading & { now: State; hasRegistrar: boolean }) {
  const { status, doNotDisturb } = now;
  const word = `call_${status.callStatus}`;
  const isIncoming = status.callStatus === 'incoming...';
  const act = async (command: 'intercom.answer' | 'intercom.hangup') => {
    await attempt(() => call(command));
    await reload();
  };
  const setQuiet = async (on: boolean) => {
    await attempt(() => call('intercom.dnd', { on }));
    await reload();
  };
  return (
    <Card title={t('state')}>
      <p class="big" role="status" data-testid="call-status">
        {hasText(word) ? t(word) : status.callStatus}
      </p>
      <Facts
        rows={[
          [t('caller'), status.incomingCallerName],
          [t('registration'), registrationText(status, hasRegistrar)],
          [t('lastError'), status.lastError],
        ]}
      />
      <div class="row">
        <button
          type="button"
          class="primary"
          data-testid="answer-call"
          disabled={!isIncoming}
          onClick={() => void act('intercom.answer')}
        >
          {t('answerCall')}
        </button>
        <button
          type="button"
          class="danger"
          data-testid="hang-up"
          disabled={status.callStatus === 'idle'}
          onClick={() => void act('intercom.hangup')}
        >
          {t('hangUp')}
        </button>
      </div>
      <CallShown command="intercom.answer" />
      <CallShown command="intercom.hangup" />
      <div class="check">
        <Switch
          label={t('doNotDisturb')}
          isOn={doNotDisturb}
          testId="dnd"
          onChange={(on) => void setQuiet(on)}
        />{' '}
        {t('doNotDisturb')}
      </div>
      <p class="hint">{t('doNotDisturbHint')}</p>
      <CallShown command="intercom.dnd" params={{ on: !doNotDisturb }} />
      <CallShown command="intercom.state" />
    </Card>
  );
}

function registrationText({ registered, lastError }: State['status'], hasRegistrar: boolean): string {
  if (registered) return t('registered');
  return hasRegistrar ? t('notRegistered', { reason: lastError ?? t('noReasonYet') }) : t('noRegistrar');
}

function TestCall({ reload }: Reloading) {
  const [peer, setPeer] = useState('');
  const place = async () => {
    await attempt(() => call('intercom.call', { peer: peer.trim() }));
    await reload();
  };
  return (
    <Card title={t('testCall')}>
      <p class="hint">{t('testCallHint')}</p>
      <TextField label={t('peer')} value={peer} onText={setPeer} testId="peer" maxLength={64} />
      <div class="row">
        <button
          type="button"
          data-testid="call-now"
          disabled={peer.trim() === ''}
          onClick={() => void place()}
        >
          {t('callNow')}
        </button>
      </div>
      <CallShown command="intercom.call" params={{ peer: peer.trim() }} />
    </Card>
  );
}

function Doors({ doors, reload }: Reloading & Pick<State, 'doors'>) {
  const open = async (name: string) => {
    if (!(await confirmed(t('openDoorSure', { name }), t('openDoor'), 'primary'))) return;
    await attempt(() => call('intercom.door', { name }), t('doorOpened', { name }));
    await reload();
  };
  return (
    <Card title={t('doors')}>
      {doors.length === 0 && (
        <EmptyState icon="bell" words={t('noDoors')}>
          <button type="button" class="primary" data-testid="door-add" onClick={() => void addDoor()}>
            {t('doorAdd')}
          </button>
        </EmptyState>
      )}
      <ul class="entries" data-testid="doors">
        {doors.map(({ name }) => (
          <li key={name}>
            <strong class="grow">{name}</strong>
            <button type="button" aria-label={t('openDoorOf', { name })} onClick={() => void open(name)}>
              {t('openDoor')}
            </button>
            <CallShown command="intercom.door" params={{ name }} />
          </li>
        ))}
      </ul>
      {doors.length > 0 && <a href={addressOf(settingPath('sip.doors'))}>{t('doorsChange')}</a>}
    </Card>
  );
}

/** What is asked for the first door, step by step. */
const DOOR_STEPS = [
  ['station', ['name', 'peer']],
  ['opening', ['dtmf', 'url']],
  ['picture', ['preview']],
] as const;

/** Asks for the first door. Those that are there are changed as a setting: only the panel can read them. */
function addDoor(): Promise<void> {
  return showDialog('door-dialog', t('doorAdd'), (close) => <DoorSteps close={close} />);
}

function DoorSteps({ close }: { close: () => void }) {
  const [at, setAt] = useState(0);
  const [door, setDoor] = useState<Readonly<Record<string, unknown>>>({});
  const [mistake, setMistake] = useState<Mistake>();
  const form = fieldFor('sip.doors');
  const fields = form.kind === 'forms' ? form.item.fields : [];
  const [step, names] = DOOR_STEPS[at]!;
  const isLast = at === DOOR_STEPS.length - 1;
  const isFilled = at > 0 || ['name', 'peer'].every((name) => String(door[name] ?? '').trim() !== '');
  const save = async () => {
    setMistake(undefined);
    try {
      await call('settings.change', { 'sip.doors': valueFrom(form, [door]) });
      notice(t('saved'));
      close();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const found = mistakeIn('sip.doors', error.message);
      setMistake(found);
      // Back to the step that has the field.
      const wrong = DOOR_STEPS.findIndex(([, inStep]) => inStep.some((name) => found.path === `0.${name}`));
      if (wrong !== -1) setAt(wrong);
    }
  };
  const isAtField = names.some((name) => mistake?.path === `0.${name}`);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isLast) void save();
        else setAt(at + 1);
      }}
    >
      <h2>{t('doorAdd')}</h2>
      <p class="hint">{t('stepOf', { step: at + 1, count: DOOR_STEPS.length })}</p>
      <p>{t(`door_${step}`)}</p>
      {fields
        .filter(({ name }) => (names as readonly string[]).includes(name))
        .map(({ name, isNeeded, field }) => (
          <ValueField
            key={name}
            name={name}
            label={fieldText(name)}
            field={field}
            isNeeded={isNeeded}
            draft={door[name]}
            onDraft={(draft) => setDoor({ ...door, [name]: draft })}
            path={`0.${name}`}
            mistake={mistake}
            testId={`door-${name}`}
          />
        ))}
      <p class={isAtField ? 'unseen' : 'mistake'} role="alert" data-testid="door-mistake">
        {mistake?.words}
      </p>
      <div class="row end">
        <button type="button" onClick={at === 0 ? close : () => setAt(at - 1)}>
          {t(at === 0 ? 'cancel' : 'back')}
        </button>
        <button type="submit" class="primary" data-testid="door-next" disabled={!isFilled}>
          {t(isLast ? 'save' : 'next')}
        </button>
      </div>
    </form>
  );
}

function Panels({ panels, reload }: Reloading & Pick<State, 'panels'>) {
  const place = async (peer: string) => {
    await attempt(() => call('intercom.call', { peer }));
    await reload();
  };
  return (
    <Card title={t('otherPanels')}>
      {panels.length === 0 && <EmptyState icon="fleet" words={t('noPanels')} />}
      <ul class="entries" data-testid="other-panels">
        {panels.map(({ name, host, port }) => {
          const peer = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
          return (
            <li key={peer}>
              <span class="grow">
                <strong>{name}</strong> <span class="hint">{peer}</span>
              </span>
              <button type="button" aria-label={t('callPanel', { name })} onClick={() => void place(peer)}>
                {t('callNow')}
              </button>
              <CallShown command="intercom.call" params={{ peer }} />
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
