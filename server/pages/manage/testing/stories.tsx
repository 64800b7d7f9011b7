import { type ComponentChildren, render } from 'preact';
import { useState } from 'preact/hooks';
import { CallError, type Panel, usePanelAt } from '../client/panel.ts';
import { language, t } from '../language.ts';
import type { SettingEntry } from '../settingValue.ts';
import { Banner, Card, EmptyState, Facts, Loading, Problem, Switch, TextField } from '../ui/card.tsx';
import { confirmed, Dialogs } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { NoticeBox, notice, Progress } from '../ui/notice.tsx';
import { NewPinPad } from '../ui/pinPad.tsx';
import { Qr } from '../ui/qr.tsx';
import { Group, OverflowMenu } from '../ui/roving.tsx';
import { store, useStore } from '../ui/store.ts';
import { SettingRow } from '../views/settingRow.tsx';

/** A panel of which each call fails with the same words: the stories bring their own values. */
const nothing: Panel = {
  door: 'browser',
  call: async (command) => {
    if (command === 'pin.state') return { pin: 'set', chosenAt: '2026-11-25T08:00:00.000Z' };
    if (command === 'token.list') return { tokens: [{ id: 'owner', createdAt: '2026-11-25T08:00:00.000Z' }] };
    if (command === 'gpio.list')
      return { pins: [0, 1, 2].map((pin) => ({ pin, kind: 'io', label: `Bewegungsmelder ${pin + 1}` })) };
    throw new CallError('The panel of the stories answers nothing.', 'NOT_FOUND');
  },
  media: async () => new Blob(),
  upload: async () => ({}),
  follow: () => () => {},
  events: () => () => {},
  socket: () => undefined,
};

const entry = (more: Partial<SettingEntry>): SettingEntry => ({
  kind: 'text',
  source: 'default',
  description:
    'Broker that the panel is connected to: mqtt://, mqtts://, ws:// or wss://. Without it, there is no MQTT.',
  ...more,
});
const CAMERA = {
  name: 'Einfahrt und Garagenhof',
  url: 'rtsp://192.168.20.7/Streaming/Channels/101',
  login: { user: 'panel', set: true },
  events: ['person'],
};
const PAGES = [
  { name: 'Wetterübersicht der Woche', url: 'https://weather.example/', seconds: 90 },
  { name: 'Home', url: 'http://homeassistant.local:8123/lovelace/wohnzimmer?kiosk' },
];

/** The settings that show each kind of editor, as the panel describes them. */
const SETTINGS: Readonly<Record<string, SettingEntry>> = {
  'kiosk.pin': entry({ set: false }),
  token: entry({ set: false }),
  'terminal.enabled': entry({ kind: 'switch', value: true, default: true }),
  'sip.transport': entry({ value: 'udp', default: 'udp' }),
  'http.port': entry({ kind: 'integer', value: 8080, default: 8080, source: 'flag' }),
  'kiosk.memoryLimit': entry({ kind: 'integer', value: 'auto', default: 'auto', unit: 'MiB' }),
  'idle.dimTo': entry({ kind: 'integer', value: 25, default: 10, unit: '%', source: 'file' }),
  'idle.saverAfter': entry({ kind: 'integer', value: 5_400, default: 0, unit: 's', source: 'file' }),
  'kiosk.quietHour': entry({ kind: 'integer', value: 3, default: 3 }),
  'idle.wakePins': entry({ kind: 'json', value: [1], default: [], source: 'file' }),
  'mqtt.url': entry({ value: 'mqtts://broker.hausautomation.example:8883', default: '', source: 'file' }),
  'mqtt.password': entry({ set: true, source: 'file' }),
  'mqtt.scopes': entry({ kind: 'list', value: ['view', 'control'], default: ['view', 'control'] }),
  'bridge.origins': entry({
    kind: 'list',
    value: ['http://homeassistant.local:8123'],
    default: [],
    locked: true,
    source: 'file',
  }),
  'streams.udpHosts': entry({
    kind: 'list',
    value: ['192.168.20.7', 'kamera-einfahrt.lan'],
    default: [],
    source: 'file',
  }),
  'approval.commands': entry({ kind: 'list', value: ['system.reboot'], default: [], source: 'file' }),
  'kiosk.pages': entry({ kind: 'json', value: PAGES, default: [], source: 'file' }),
  'streams.cameras': entry({ kind: 'json', value: [CAMERA], default: [], source: 'file' }),
  'sip.doors': entry({ kind: 'json', set: true, source: 'file' }),
  'projects.parameters': entry({
    kind: 'json',
    value: { 'lobby-panel': 'room=12' },
    default: {},
    source: 'file',
  }),
  'kiosk.inject': entry({
    kind: 'json',
    value: [{ origin: 'http://hub.local', css: 'header { display: none }' }],
    default: [],
    source: 'file',
  }),
};

const refuse = async (key: string) => {
  const place = { 'kiosk.pages': '0.url: ', 'streams.cameras': '0.name: ' }[key] ?? '';
  throw new CallError(
    `The settings have mistakes: ${key}: ${place}must be an http or https URL.`,
    'INVALID_REQUEST',
  );
};

function Buttons() {
  return (
    <Card title="Button">
      <div class="row">
        <button type="button" class="primary">
          {t('save')}
        </button>
        <button type="button">{t('cancel')}</button>
        <button type="button" class="ghost">
          {t('resetToDefault')}
        </button>
        <button type="button" class="danger">
          {t('remove')}
        </button>
        <button type="button" class="ghost icon-button" aria-label={t('remove')}>
          <Icon name="remove" />
        </button>
      </div>
      <div class="row">
        <button type="button" class="primary" disabled>
          {t('save')}
        </button>
        <button type="button" disabled>
          {t('cancel')}
        </button>
        <button type="button" class="danger" disabled>
          {t('remove')}
        </button>
      </div>
    </Card>
  );
}

function Fields() {
  const [text, setText] = useState('Wohnzimmer');
  const [isOn, setOn] = useState(true);
  return (
    <Card title="Field">
      <TextField label={t('name')} value={text} onText={setText} testId="name" hint={t('ownNameHint')} />
      <div class="row">
        <TextField label={t('pageAddress')} value="https://" onText={() => {}} testId="url" type="url" />
        <button type="button">{t('send')}</button>
      </div>
      <div class="row">
        <Switch label="Switch" isOn={isOn} onChange={setOn} />{' '}
        <span>{t(isOn ? 'turnedOn' : 'turnedOff')}</span>
      </div>
      <Progress part={0.4} end={() => {}} />
    </Card>
  );
}

function States() {
  return (
    <Card title="Loading, Problem, EmptyState">
      <Loading of={{ data: undefined, error: undefined }}>{() => null}</Loading>
      <Problem error={new CallError('This board has no relays.', 'UNSUPPORTED_HARDWARE')} />
      <Problem error={new CallError('The token lacks the scope manage.', 'FORBIDDEN')} />
      <div class="row">
        <span class="badge good">{t('live')}</span>
        <span class="badge warm">{t('notSet')}</span>
      </div>
      <EmptyState icon="fleet" words={t('rolloutNone')}>
        <button type="button" class="primary">
          {t('turnOn')}
        </button>
      </EmptyState>
      <Banner words={t('connectivity_portal')} />
      <Banner kind="error" title={t('nothingSaved')} words="ENOSPC (no space left on device)." />
      <Banner
        kind="info"
        title={t('changesWait', { count: 2 })}
        words="SIP"
        action={<button type="button">{t('restartNow')}</button>}
      />
    </Card>
  );
}

function Groups() {
  const act = () => notice(t('done'));
  return (
    <Card title="Toolbar, Menu">
      <Group role="toolbar" label="Toolbar" class="row">
        {['reload', 'restart', 'reboot'].map((name) => (
          <button key={name} type="button">
            {t(name as 'reload')}
          </button>
        ))}
      </Group>
      <div class="row end">
        <OverflowMenu
          label={t('more')}
          testId="menu"
          items={[
            { name: t('reload'), act },
            { name: t('rollback'), act, reason: t('noReasonYet') },
            { name: t('remove'), act, isDangerous: true },
          ]}
        />
      </div>
    </Card>
  );
}

function Values() {
  const long = 'http://homeassistant.local:8123/lovelace/wohnzimmer-und-kueche?kiosk&theme=dunkel';
  return (
    <Card title="KeyValue">
      <Facts
        rows={[
          ['Wiederherstellungen seit dem Start', '12'],
          [t('pageAddress'), long],
          ['SHA-256', <code class="fingerprint">{'A7:'.repeat(31)}A7</code>],
          [t('pageErrors'), '0'],
        ]}
      />
    </Card>
  );
}

function Rows({ keys }: { keys: readonly string[] }) {
  return (
    <Card title="Setting" wide class="settings">
      {keys.map((key) => (
        <SettingRow
          key={key}
          name={key}
          entry={SETTINGS[key]!}
          needsRestart={key === 'sip.transport'}
          save={refuse}
        />
      ))}
    </Card>
  );
}

const SECRETLESS = Object.keys(SETTINGS);
const STORIES: Readonly<Record<string, () => ComponentChildren>> = {
  kit: () => (
    <>
      <Buttons />
      <Fields />
      <States />
      <Values />
      <Groups />
    </>
  ),
  settings: () => <Rows keys={SECRETLESS} />,
  pin: () => (
    <section class="wide locked-page">
      <NewPinPad save={async () => {}} onDone={() => {}} />
    </section>
  ),
  qr: () => (
    <Card title="QR">
      <Qr
        rows={Array.from({ length: 29 }, (_, at) => `${(at % 2 ? '10' : '01').repeat(14)}1`)}
        url="http://panel.lan/manage/"
      />
    </Card>
  ),
};

/** One story, named after the # of the address: `#kit`, or `#settings`. */
function Stories() {
  useStore(language);
  const name = useStore(shown);
  return (
    <main>
      <h1>{name}</h1>
      <div class="content">{STORIES[name]?.()}</div>
      <NoticeBox />
      <Dialogs />
    </main>
  );
}

const named = () => location.hash.slice(1);
const shown = store(named());
addEventListener('hashchange', () => shown.set(named()));
usePanelAt(nothing);
document.documentElement.dataset.theme = 'auto';
render(<Stories />, document.body);

/** What a test of dialogs and notices calls. */
Object.assign(window, {
  stories: Object.keys(STORIES),
  ask: () => void confirmed(t('rebootSure'), t('reboot')),
  say: () => notice(t('copied')),
});
