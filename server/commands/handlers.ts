import type { SettingsPlan } from '../config/settingsBackup.ts';
import type { SettingsStore } from '../config/settingsStore.ts';
import type { ResultOf } from '../contract/commands.ts';
import { type Identity, isOwner } from '../contract/identity.ts';
import type { SipService } from '../intercom/calls/service.ts';
import type { Kiosk } from '../kiosk/kiosk.ts';
import type { LiveScreen } from '../kiosk/live/service.ts';
import type { SettingsPageService } from '../kiosk/settingsPage/service.ts';
import type { AccessService } from '../parts/access/service.ts';
import type { ResetService } from '../parts/backup/reset.ts';
import type { BackupService } from '../parts/backup/service.ts';
import type { ButtonsService } from '../parts/buttons/service.ts';
import type { AuthorizedCall } from '../parts/callContext.ts';
import type { CertificatesService } from '../parts/certificates/service.ts';
import type { ClimateService } from '../parts/climate/service.ts';
import type { FleetService } from '../parts/fleet/service.ts';
import type { GpioService } from '../parts/gpio/service.ts';
import type { HealthService } from '../parts/health/service.ts';
import type { HttpRequestService } from '../parts/http/service.ts';
import type { PartCommandName } from '../parts/index.ts';
import type { JournalService } from '../parts/journal/service.ts';
import type { MessageService } from '../parts/messages/service.ts';
import type { MetricsService } from '../parts/metrics/service.ts';
import type { PowerService } from '../parts/power/service.ts';
import type { ProjectFetchService } from '../parts/projectFetch/service.ts';
import type { ProjectsService } from '../parts/projects/service.ts';
import type { ProximityService } from '../parts/proximity/service.ts';
import type { ReadersService } from '../parts/readers/service.ts';
import type { RestartService } from '../parts/restart/service.ts';
import type { SerialService } from '../parts/serial/service.ts';
import type { TcpService } from '../parts/tcp/service.ts';
import type { UpdateService } from '../parts/update/service.ts';
import type { LogTail } from '../platform/log.ts';
import type { StreamService } from '../video/service.ts';
import type { Handlers } from './registry.ts';

/** The services that the commands are bound to. */
interface Services {
  readonly climate: ClimateService;
  readonly buttons: ButtonsService;
  readonly readers: ReadersService;
  readonly proximity: ProximityService;
  readonly gpio: GpioService;
  readonly serial: SerialService;
  readonly tcp: TcpService;
  readonly httpRequest: HttpRequestService;
  readonly stream: StreamService;
  readonly sip: SipService;
  readonly power: PowerService;
  readonly projects: ProjectsService;
  readonly projectFetch: ProjectFetchService;
  readonly fleet: FleetService;
  readonly update: UpdateService;
  readonly kiosk: Pick<
    Kiosk,
    'reload' | 'screenshot' | 'pageState' | 'showPage' | 'home' | 'pageConsole' | 'evaluate'
  >;
  readonly live: LiveScreen;
  readonly message: MessageService;
  readonly settings: SettingsStore;
  readonly certificates: CertificatesService;
  readonly access: AccessService;
  readonly settingsPage: SettingsPageService;
  panelFacts(identity: Identity): ResultOf<'panel.facts'>;
  shownPairing(identity: Identity): ResultOf<'panel.pairing'>;
  readonly logTail: LogTail;
  readonly journal: JournalService;
  readonly health: HealthService;
  readonly metrics: MetricsService;
  readonly backup: BackupService<SettingsPlan>;
  readonly reset: ResetService;
  readonly restart: RestartService;
  info(): ResultOf<'system.info'>;
}

/** Binds every command that no part answers to the one service method that does it. */
export function bindCommands(services: Services): Omit<Handlers, PartCommandName> {
  const { gpio, serial, stream, sip, power, projects, kiosk, fleet } = services;
  const { certificates, settingsPage, access, backup, reset } = services;
  const changer = (identity: Identity) => ({
    isOwner: isOwner(identity),
    scopes: identity.scopes,
    maySetFirstPin: () => identity.isFromSetup === true && settingsPage.isPinMissing,
  });
  return {
    'tcp.open': (params, context) => services.tcp.open(params, context),
    'tcp.send': (params, context) => services.tcp.send(params, context),
    'tcp.close': (params, context) => services.tcp.close(params, context),
    'http.request': (params, context) => services.httpRequest.request(params, context),
    'stream.open': (params, context) => stream.open(params, context),
    'stream.close': (params) => stream.close(params),
    'stream.inspect': (params, context) => stream.inspect(params, context),
    'stream.sessions': () => stream.sessions(),
    'sip.placeCallToIp': (params) => sip.placeCallToIp(params),
    'sip.placeCallToExtension': (params) => sip.placeCallToExtension(params),
    'sip.answer': () => sip.answer(),
    'sip.reject': () => sip.reject(),
    'sip.ignore': () => sip.ignore(),
    'sip.hangup': () => sip.hangup(),
    'sip.pageAll': () => sip.pageAll(),
    'sip.hangupPageAll': () => sip.hangupPageAll(),
    'sip.setAutoAnswer': (params) => sip.setAutoAnswer(params),
    'sip.setMicMuted': (params) => sip.setMicMuted(params),
    'sip.setCallVolume': (params) => sip.setCallVolume(params),
    'sip.sendDtmf': (params) => sip.sendDtmf(params),
    'sip.openDoor': (params) => sip.openDoor(params),
    'sip.setDoNotDisturb': (params) => sip.setDoNotDisturb(params),
    'sip.getStatus': () => sip.getStatus(),
    'sip.history': () => sip.history(),
    'sip.listPanels': () => sip.listPanels(),
    'sip.showVideo': (params) => sip.showVideo(params),
    'sip.hideVideo': (params) => sip.hideVideo(params),
    'intercom.state': () => sip.overview(),
    'intercom.call': (params) => sip.placeCall(params),
    'intercom.answer': () => sip.answer(),
    'intercom.hangup': () => sip.hangup(),
    'intercom.door': (params) => sip.openDoor(params),
    'intercom.dnd': ({ on }) => sip.setDoNotDisturb({ enabled: on }),
    'system.info': () => services.info(),
    'system.simulate': async (params) => {
      if (params.part === 'gpio') await gpio.simulate(params);
      else if (params.part === 'climate') await services.climate.simulate(params);
      else if (params.part === 'proximity') await services.proximity.simulate(params);
      else if (params.part === 'button') await services.buttons.simulate(params);
      else if (params.part === 'scan') await services.readers.simulate(params);
      else await serial.simulate(params);
      return { status: 'ok' };
    },
    'system.reboot': () => power.reboot(),
    'system.restart': () => services.restart.restart(),
    'projects.list': () => projects.list(),
    'projects.install': (params, context) => projects.install(params, context),
    'projects.fetch': (params, context) => services.projectFetch.fetch(params, context),
    'projects.patch': (params, context) => projects.patch(params, context),
    'fleet.list': () => fleet.list(),
    'fleet.rollout': (params) => fleet.rollout(params),
    'fleet.rollouts': () => fleet.rollouts(),
    'fleet.progress': (params) => fleet.progress(params),
    'fleet.stop': (params) => fleet.stopRollout(params),
    'update.state': () => services.update.state(),
    'update.install': (params, context) => services.update.install(params, context),
    'update.fetch': (params, context) => services.update.fetch(params, context),
    'update.return': () => services.update.return(),
    'projects.activate': (params) => projects.activate(params),
    'projects.rollback': (params) => projects.rollback(params),
    'projects.remove': (params) => projects.remove(params),
    'settings.read': (_params, { identity }) => services.settings.read(changer(identity)),
    'settings.change': (params, { identity }) => services.settings.change(params, changer(identity)),
    'certificates.list': () => certificates.list(),
    'certificates.trust': (params) => certificates.trust(params),
    'certificates.forget': (params) => certificates.forget(params),
    'token.list': () => access.list(),
    'token.create': (params, { identity }) => access.create(params, identity),
    'token.revoke': (params, { identity }) => access.revoke(params, isOwner(identity)),
    'pairing.start': (_params, { identity }) => access.startPairing(identity),
    'pairing.finish': (params, { origin }) => access.finishPairing(params, origin),
    'settingsPage.status': () => settingsPage.status(),
    'settingsPage.setPin': (params) => settingsPage.setPin(params),
    'settingsPage.unlock': (params) => settingsPage.unlock(params),
    'settingsPage.changePin': (params) => settingsPage.changePin(params),
    'settingsPage.setup': (params) => settingsPage.noteSetup(params),
    'settingsPage.touch': () => settingsPage.touch(),
    'settingsPage.close': () => settingsPage.close(),
    'token.show': () => settingsPage.showToken(),
    'token.rotate': () => settingsPage.rotateToken(),
    'panel.facts': (_params, { identity }) => services.panelFacts(identity),
    'panel.pairing': (_params, { identity }) => services.shownPairing(identity),
    'journal.read': (params) => services.journal.read(params),
    'health.state': () => services.health.state(),
    'metrics.read': () => services.metrics.read(),
    'backup.create': (params, context) => backup.create(params, ownedBy(context)),
    'backup.restore': (params, context) => backup.restore(params, ownedBy(context)),
    'panel.reset': (params, context) => reset.reset(params, context),
    'kiosk.reload': () => kiosk.reload(),
    'kiosk.screenshot': () => kiosk.screenshot(),
    'page.state': (_params, { identity }) => kiosk.pageState(isOwner(identity)),
    'page.show': (params, { identity }) => kiosk.showPage(params, isOwner(identity)),
    'page.home': (_params, { identity }) => kiosk.home(isOwner(identity)),
    'console.read': () => kiosk.pageConsole(),
    'log.read': ({ level }) => services.logTail.feed(level),
    'kiosk.live': () => services.live.join(),
    'message.show': (params) => services.message.show(params),
    'message.remove': (params) => services.message.remove(params),
    'page.evaluate': (params) => kiosk.evaluate(params),
  };
}

function ownedBy({ signal, identity }: AuthorizedCall) {
  return { signal, isOwner: isOwner(identity), scopes: identity.scopes };
}
