import { useEffect, useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import type { ConsoleEntry, PageState } from '../../../kiosk/contract.ts';
import { Portal } from '../../../parts/network/view.tsx';
import { panel } from '../client/panel.ts';
import { hasText, t } from '../language.ts';
import { Card, Facts, Loading, PageActions } from '../ui/card.tsx';
import { useCall, useEvent } from '../ui/hooks.ts';
import { Picture } from '../ui/picture.tsx';
import { PairingQr } from '../ui/qr.tsx';
import { addressOf } from '../ui/route.ts';
import { PartList } from './hardware.tsx';
import { Undone } from './settingRow.tsx';

type Info = ResultOf<'system.info'>;

/** What the panel is, shows and lacks. */
export function Home() {
  const isGlass = panel().door === 'glass';
  const info = useCall<Info & { address?: string }>('system.info');
  return (
    <>
      <Undone />
      <Portal />
      {isGlass ? (
        <PanelAddress />
      ) : (
        <Card title={t('picture')}>
          <Picture />
        </Card>
      )}
      <PageCard />
      <Card title={t('panel')}>
        <Loading of={info}>
          {({ name, version, board, host, address, recoveries, graphics }) => (
            <Facts
              rows={[
                [t('name'), name],
                [t('versionWord'), version],
                [t('address'), isGlass ? undefined : (address ?? location.host)],
                [t('board'), board],
                [t('browser'), host],
                [t('graphics'), graphics === null ? undefined : graphicsText(graphics)],
                [t('recoveries'), recoveryText(recoveries)],
              ]}
            />
          )}
        </Loading>
        <PageActions />
      </Card>
      <Card title={t('parts')} wide>
        <Loading of={info}>{({ parts }) => <PartList parts={parts} />}</Loading>
      </Card>
    </>
  );
}

/** How the browser draws, as a sentence. */
function graphicsText({ gpu, pages, webgl, video }: NonNullable<Info['graphics']>): string {
  const words = [
    [t('graphicsPages'), pages],
    ['WebGL', webgl],
    [t('graphicsVideo'), video],
  ].map(([name, way]) => `${name}: ${t(`graphics_${way}` as 'graphics_off')}`);
  return [...words, ...(gpu === '' ? [] : [gpu])].join(' · ');
}

function recoveryText(recoveries: Info['recoveries']): string {
  const counts = Object.entries(recoveries).map(([cause, count]) => `${cause} ${count}`);
  return counts.join(', ') || t('none');
}

/** Whether the page is shown, with the first reason why not. */
function PageCard() {
  const state = useCall<PageState>('page.state');
  useEvent('page', () => void state.reload());
  if (state.error?.code === 'NOT_FOUND') return null;
  return (
    <Card title={t('page')}>
      <Loading of={state}>
        {({ state: now, url, title, errors }) => {
          const word = `page_${now}`;
          return (
            <>
              <p class={`big ${now === 'shown' ? 'good' : 'warm'}`} data-testid="page-state">
                {hasText(word) ? t(word) : now}
              </p>
              {errors > 0 && <FirstException />}
              <Facts
                rows={[
                  [t('pageTitle'), title],
                  [t('pageAddress'), url],
                  [t('pageErrors'), String(errors)],
                ]}
              />
              {(now !== 'shown' || errors > 0) && <a href={addressOf('system/console')}>{t('toConsole')}</a>}
            </>
          );
        }}
      </Loading>
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

/** Where the panel is found in the network, for a person in front of it. */
function PanelAddress() {
  const facts = useCall<ResultOf<'panel.facts'>>('panel.facts');
  return (
    <Card title={t('address')} wide>
      <Loading of={facts}>
        {(all) => {
          const { url, name, addresses, port, versions } = all;
          return (
            <div class="address">
              <PairingQr facts={all} />
              <div class="grow">
                <p class="big" data-testid="address">
                  {url}
                </p>
                <p class="hint">{t('addressHint')}</p>
                <Facts
                  rows={[
                    [t('hostName'), name],
                    ['IP', addresses.join(', ') || t('none')],
                    [t('port'), String(port)],
                    ...Object.entries(versions),
                  ]}
                />
              </div>
            </div>
          );
        }}
      </Loading>
    </Card>
  );
}
