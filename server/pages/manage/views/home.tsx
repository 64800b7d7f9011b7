import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import type { ConsoleEntry } from '../../../kiosk/contract.ts';
import type { HealthState } from '../../../parts/health/contract.ts';
import { Portal } from '../../../parts/network/view.tsx';
import type { UpdateState } from '../../../parts/update/contract.ts';
import { call, panel } from '../client/panel.ts';
import { hasText, t } from '../language.ts';
import { Card, Facts, Loading } from '../ui/card.tsx';
import { useCall, useEvent, useEvery } from '../ui/hooks.ts';
import { attempt } from '../ui/notice.tsx';
import { Picture } from '../ui/picture.tsx';
import { PairingQr } from '../ui/qr.tsx';
import { addressOf } from '../ui/route.ts';
import { restartChoice, uptimeText } from './restart.tsx';
import { Undone } from './settingRow.tsx';

type Info = ResultOf<'system.info'>;

/** How often is read what no event announces, in milliseconds. */
const EVERY_MS = 5_000;

/** What the panel is and shows, what it needs, and what people do most. */
export function Home() {
  const info = useCall<Info>('system.info');
  const health = useCall<HealthState>('health.state');
  useEvery(EVERY_MS, () => {
    void info.reload();
    void health.reload();
  });
  useEvent('page', () => void health.reload());
  return (
    <>
      <Undone />
      <Portal />
      <section class="hero wide" aria-label={t('panel')}>
        {panel().door === 'glass' ? <PanelAddress /> : <LivePicture />}
        <div class="hero-side">
          <Loading of={info}>{(known) => <Headline info={known} health={health.data} />}</Loading>
          <QuickActions />
        </div>
      </section>
      <Attention info={info.data} health={health.data} />
      <Loading of={info}>
        {({ address, version }) => (
          <dl class="four wide" data-testid="facts">
            <Fact name={t('address')} value={address} />
            <Fact name={t('temperature')} value={degrees(health.data)} />
            <Fact name={t('uptime')} value={health.data && uptimeText(health.data.uptime)} />
            <Fact name={t('versionWord')} value={version} />
          </dl>
        )}
      </Loading>
    </>
  );
}

function degrees(health: HealthState | undefined): string | undefined {
  return health && (health.temperature === null ? t('notMeasured') : `${health.temperature} °C`);
}

function Fact({ name, value }: { name: string; value: string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value ?? '–'}</dd>
    </div>
  );
}

/** The picture, which leads to the remote control, and what covers the page on the screen. */
function LivePicture() {
  const above = useCall<ResultOf<'page.above'>>('page.above');
  useEvery(EVERY_MS, () => {
    if (!above.error?.isMissing) void above.reload();
  });
  const covers = above.data?.above ?? [];
  return (
    <div class="hero-picture">
      <a href={addressOf('screen/remote')} aria-label={t('toRemote')} data-testid="to-remote">
        <Picture />
      </a>
      {covers.length > 0 && (
        <p class="covers" role="status" data-testid="covers">
          {covers.map((each) => t(`above_${each}`)).join(' · ')}
        </p>
      )}
    </div>
  );
}

/** Subject and state in one line: the name, and what it shows. */
function Headline({ info, health }: { info: Info; health: HealthState | undefined }) {
  const page = health?.page;
  const word = `showing_${page?.state}`;
  const isWell = page?.state === 'shown' || page?.state === 'loading';
  return (
    <>
      <h2 class="hero-name" data-testid="home-name">
        {info.name}
      </h2>
      {page && hasText(word) && (
        <p class={isWell ? 'good' : 'warm'} data-testid="page-state">
          {t(word, { page: page.title || page.url })}
        </p>
      )}
      {page === null && <p class="hint">{t('showsNoPage')}</p>}
    </>
  );
}

function QuickActions() {
  const display = useCall<ResultOf<'display.state'>>('display.state');
  useEvent('display', () => void display.reload());
  const isOn = display.data?.on;
  const light = async () => {
    await attempt(() => call('display.set', { on: isOn === false }));
    await display.reload();
  };
  return (
    <div class="quick">
      <button
        type="button"
        data-testid="reload"
        onClick={() => void attempt(() => call('kiosk.reload'), t('reloaded'))}
      >
        {t('reload')}
      </button>
      <a class="button" href={addressOf('content/pages')} data-testid="quick-page">
        {t('quickPage')}
      </a>
      <a class="button" href={addressOf('content/messages')} data-testid="quick-message">
        {t('quickMessage')}
      </a>
      <a class="button" href={addressOf('people')} data-testid="open-people">
        {t('quickInvite')}
      </a>
      {isOn !== undefined && (
        <button type="button" data-testid="quick-light" onClick={() => void light()}>
          {isOn ? t('screenOff') : t('screenOn')}
        </button>
      )}
      <button type="button" data-testid="quick-restart" onClick={() => void restartChoice()}>
        {t('quickRestart')}
      </button>
    </div>
  );
}

interface AttentionProps {
  readonly info: Info | undefined;
  readonly health: HealthState | undefined;
}

/** What a person should look at, each with the way there. */
function Attention({ info, health }: AttentionProps) {
  const update = useCall<UpdateState>('update.state');
  const page = health?.page;
  const isIll = page && ['failed', 'blank', 'waiting'].includes(page.state);
  const mqtt = info?.mqtt;
  const absent = Object.entries(info?.parts ?? {}).filter(
    ([name, { state }]) => name !== 'kiosk' && state === 'absent',
  );
  const available = update.data?.available;
  const items: (readonly [key: string, words: string, path: string, more?: ComponentChildren])[] = [];
  if (isIll)
    items.push(['page', t(`showing_${page.state as 'failed'}`, { page: page.url }), 'system/console']);
  if (page && page.errors > 0)
    items.push([
      'errors',
      t('pageHasErrors', { count: page.errors }),
      'system/console',
      <FirstException key="first" />,
    ]);
  if (info?.parts.kiosk?.reason) items.push(['kiosk', info.parts.kiosk.reason, 'system/log']);
  if (mqtt && mqtt.state !== 'off' && mqtt.reason !== null)
    items.push(['mqtt', mqtt.reason, 'system/settings/mqtt.url']);
  if (available) items.push(['update', t('updateThere', { version: available.version }), 'system']);
  if (absent.length > 0) items.push(['parts', t('partsAbsent', { count: absent.length }), 'devices/parts']);
  if (info?.board === 'simulated') items.push(['board', t('boardSimulated'), 'devices/parts']);
  return (
    <Card title={t('attention')} wide>
      {items.length === 0 && <p class="hint">{t('attentionNone')}</p>}
      <ul class="attention" data-testid="attention">
        {items.map(([key, words, path, more]) => (
          <li key={key} data-testid={`attention-${key}`}>
            <a href={addressOf(path)}>{words}</a>
            {more}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The first exception that the console still has since the page was loaded. */
function FirstException() {
  const [first, setFirst] = useState<ConsoleEntry>();
  useEffect(() => {
    let found = false;
    return panel().follow(
      'console.read',
      {},
      {
        entry(entry) {
          const one = entry as ConsoleEntry;
          if (found || one.level !== 'exception') return;
          found = true;
          setFirst(one);
        },
        open() {},
        ended() {},
      },
    );
  }, []);
  return first === undefined ? null : <p class="mistake">{first.text}</p>;
}

/** Where the panel is found in the network, for a person in front of it; the code that signs a phone in only on demand. */
function PanelAddress() {
  const facts = useCall<ResultOf<'panel.facts'>>('panel.facts');
  const [isShown, setShown] = useState(false);
  return (
    <Loading of={facts}>
      {(all) => (
        <div class="address">
          {isShown && <PairingQr facts={all} />}
          <div class="grow">
            <p class="big" data-testid="address">
              {all.url}
            </p>
            <p class="hint">{isShown ? t('addressHint') : t('addressOnly')}</p>
            <Facts rows={[['IP', all.addresses.join(', ') || t('none')]]} />
            {!isShown && (
              <button type="button" data-testid="show-code" onClick={() => setShown(true)}>
                {t('showSignIn')}
              </button>
            )}
          </div>
        </div>
      )}
    </Loading>
  );
}
