import { manySettingsMistake } from '../../config/changeRules.ts';
import { isOnLink } from '../../intercom/calls/callerPolicy.ts';
import { systemWallClock } from '../../platform/clock.ts';
import { PanelBrowser } from '../../platform/mdns/panelBrowser.ts';
import { ownAddresses, reachableAddress } from '../../platform/net/addresses.ts';
import { type Core, definePart } from '../part.ts';
import type { ProjectsService } from '../projects/service.ts';
import type { UpdateService } from '../update/service.ts';
import { fleetCommands } from './contract.ts';
import { FleetService } from './service.ts';

interface Needs {
  readonly projects: ProjectsService;
  readonly update: UpdateService;
}

/** The fleet, as this panel sees it: over the broker that the MQTT surface brings, and by mDNS. */
export const fleet = definePart('fleet', (core: Core & Needs) => {
  const { version, id, board, dataDir, settings, store, http, kiosk, projects, update, events, clock, log } =
    core;
  const neighbourhood = new PanelBrowser({
    where: () => ({ host: http.outside.host, interfaceName: settings()['http.announceInterface'] }),
    ownId: id,
    isOnLink: (address) => isOnLink(address, ownAddresses()),
    clock,
    log,
  });
  const ownId = () => settings()['mqtt.id'] || id;
  const service = new FleetService({
    dataDir,
    isOn: () => settings()['mqtt.fleet'],
    ownId,
    own: () => {
      const now = settings();
      const active = projects.list().projects.find((project) => project.active);
      return {
        id: ownId(),
        infoId: id,
        name: now['device.name'],
        version,
        board: board.name,
        address: reachableAddress(http.outside.host, http.outside.port),
        https: http.securePort ?? null,
        groups: now['mqtt.groups'],
        page: kiosk.pageSnapshot() ?? null,
        project: active === undefined ? null : { id: active.id, name: active.name, version: active.version },
        update: update.state(),
      };
    },
    neighbourhood,
    settingsMistake: manySettingsMistake,
    bus: events,
    clock: systemWallClock,
    log,
  });
  store.onLive(() => service.follow());
  return service;
}).answering(fleetCommands, (service) => ({
  'fleet.stop': (params) => service.stopRollout(params),
}));
