import { isOwner } from '../contract/access.ts';
import type { AccessService } from '../parts/access/service.ts';
import type { ApprovalService } from '../parts/approval/service.ts';
import { type Core, definePart } from '../parts/part.ts';
import type { ProjectsService } from '../parts/projects/service.ts';
import { systemWallClock } from '../platform/clock.ts';
import { pageCommands, thingsAbove } from './contract.ts';
import { liveCommands } from './live/contract.ts';
import { LiveScreen } from './live/service.ts';
import { qrRows } from './qrCode.ts';
import { settingsPageCommands } from './settingsPage/contract.ts';
import { FindPages } from './settingsPage/findPages.ts';
import { manageUrlOf, panelFacts, SettingsPageService } from './settingsPage/service.ts';

interface SettingsPageNeeds {
  readonly access: AccessService;
  readonly projects: ProjectsService;
}

/** The settings page at the panel, behind its PIN, and the first set-up. */
export const settingsPage = definePart(
  'settingsPage',
  ({
    dataDir,
    settings,
    closedPorts,
    loaded,
    token,
    kiosk,
    http,
    access,
    projects,
    clock,
    log,
  }: Core & SettingsPageNeeds) =>
    new SettingsPageService({
      dataDir,
      heldPin: () => settings()['kiosk.pin'],
      token,
      onRotated: () => access.ownerChanged(),
      pages: new FindPages({ closedPorts, clock, log }),
      manageUrl: () => manageUrlOf(http.web),
      window: kiosk,
      setup: {
        isWanted: loaded.settings.wizard,
        isFresh: () => loaded.file.layer.size === 0 && projects.active === null,
      },
      clock: systemWallClock,
      log,
    }),
).answering(settingsPageCommands, (service, { settings, http, version, access }) => ({
  'settingsPage.setup': (params) => service.noteSetup(params),
  'pin.state': () => service.pinState(),
  'setup.find': () => service.pages.find(),
  'setup.probe': (params, { signal }) => service.pages.probe(params, signal),
  'settingsPage.close': () => service.leave(),
  'token.show': () => service.showToken(),
  'token.rotate': () => service.rotateToken(),
  'panel.facts': () =>
    panelFacts({
      name: settings()['device.name'],
      language: settings()['device.language'],
      web: http.web,
      versions: { Faceplate: version, 'Node.js': process.versions.node },
    }),
  'panel.pairing': ({ renew }, { identity }) => {
    const { code, ...more } = access.shownPairing(identity, { isForSetup: service.isFirstSetup, renew });
    if (code !== null) service.codeShown();
    return { code: code && { ...code, qr: qrRows(code.url) }, ...more };
  },
}));

const { 'page.evaluate': evaluate, ...live } = liveCommands;

/** The page on the screen. It has a line in `info` only while nothing is shown, which says why. */
export const page = definePart('page', ({ kiosk }) => kiosk)
  .answering({ ...pageCommands, 'page.evaluate': evaluate }, (kiosk, { glass }) => ({
    'page.above': () => {
      const there: readonly string[] = [...glass.filled, ...(kiosk.isSettingsOpen ? ['settings'] : [])];
      return { above: thingsAbove.filter((thing) => there.includes(thing)) };
    },
    'page.state': (_params, { identity }) => kiosk.pageState(isOwner(identity)),
    'page.show': (params, { identity }) => kiosk.showPage(params, isOwner(identity)),
    'page.home': (_params, { identity }) => kiosk.home(isOwner(identity)),
    'console.read': () => kiosk.pageConsole(),
  }))
  .reporting({
    info: (kiosk) => {
      const reason = kiosk.whyNotShown();
      if (reason === undefined) return {};
      return { kiosk: { driver: kiosk.hostKind, path: null, state: 'absent', reason } };
    },
    snapshot: (kiosk) => ({ page: kiosk.pageSnapshot() }),
  })
  // The whole address, for a comparison with those of the settings; only the name of the page is shown.
  .showing((kiosk, { settings }) => ({ page: kiosk.pageSnapshot(true), pages: settings()['kiosk.pages'] }));

/** The screen for viewers elsewhere. */
export const liveScreen = definePart(
  'liveScreen',
  ({ kiosk, approval, clock }: Core & { readonly approval: ApprovalService }) =>
    new LiveScreen({ window: kiosk, isAsking: () => approval.isAsking, clock }),
).answering(live, (service) => ({ 'kiosk.live': () => service.join() }));
