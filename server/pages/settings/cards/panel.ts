import { h } from '../dom.ts';
import { call } from '../host.ts';
import { t } from '../language.ts';
import { attempt, confirmed } from '../notice.ts';
import { facts, section } from './section.ts';

/** Addresses, QR code, versions, parts, and the actions for the panel. */
export async function panelCards(): Promise<HTMLElement[]> {
  const [panel, info] = await Promise.all([call('panel.facts'), call('system.info')]);
  const address = section(
    t('address'),
    h(
      'div',
      { class: 'address' },
      qrCode(panel.qr),
      h(
        'div',
        { class: 'grow' },
        h('p', { class: 'big', 'data-testid': 'address' }, panel.url),
        h('p', { class: 'hint' }, t('addressHint')),
        facts([
          [t('hostName'), panel.name],
          ['IP', panel.addresses.join(', ') || t('none')],
          [t('port'), String(panel.port)],
        ]),
      ),
    ),
  );
  const recoveries = Object.entries(info.recoveries).map(([cause, count]) => `${cause} ${count}`);
  const versions = section(
    t('versions'),
    facts([
      ...Object.entries(panel.versions),
      ...(await browserVersion()),
      [t('board'), info.board],
      [t('browser'), info.host],
      [t('recoveries'), recoveries.join(', ') || t('none')],
    ]),
  );
  const parts = section(
    t('parts'),
    h(
      'ul',
      { class: 'parts', 'data-testid': 'parts' },
      ...Object.entries(info.parts).map(([name, part]) =>
        h(
          'li',
          { class: part.state, title: part.reason ?? part.path ?? '' },
          h('span', {}, name),
          h('span', { class: 'state' }, t(part.state)),
        ),
      ),
    ),
  );
  return [address, versions, actions(), parts];
}

/** The browser's own words, when it has them. */
async function browserVersion(): Promise<readonly (readonly [string, string])[]> {
  type Brand = { brand: string; version: string };
  const data = (
    navigator as {
      userAgentData?: { getHighEntropyValues(of: string[]): Promise<{ fullVersionList?: Brand[] }> };
    }
  ).userAgentData;
  const { fullVersionList = [] } = (await data?.getHighEntropyValues(['fullVersionList'])) ?? {};
  const electron = /Electron\/([\d.]+)/.exec(navigator.userAgent)?.[1];
  const chromium = fullVersionList.find(({ brand }) => brand === 'Chromium')?.version;
  return [
    ...(electron === undefined ? [] : [['Electron', electron] as const]),
    ...(chromium === undefined ? [] : [['Chromium', chromium] as const]),
  ];
}

function actions(): HTMLElement {
  const reload = () => attempt(() => call('kiosk.reload'), t('reloaded'));
  const reboot = async () => {
    if (await confirmed(t('rebootSure'), t('reboot')))
      await attempt(() => call('system.reboot'), t('rebooting'));
  };
  return section(
    t('actions'),
    h(
      'div',
      { class: 'row' },
      h('button', { type: 'button', 'data-testid': 'reload', onclick: () => void reload() }, t('reload')),
      h(
        'button',
        { type: 'button', class: 'danger', 'data-testid': 'reboot', onclick: () => void reboot() },
        t('reboot'),
      ),
    ),
  );
}

const SVG = 'http://www.w3.org/2000/svg';

/** Draws the dark squares of a QR code on white. */
function qrCode(rows: readonly string[]): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${rows.length} ${rows.length}`);
  svg.setAttribute('class', 'qr');
  svg.setAttribute('data-testid', 'qr');
  const path = document.createElementNS(SVG, 'path');
  const squares = rows.flatMap((row, y) =>
    [...row].map((bit, x) => (bit === '1' ? `M${x} ${y}h1v1h-1z` : '')),
  );
  path.setAttribute('d', squares.join(''));
  svg.append(path);
  return svg;
}
