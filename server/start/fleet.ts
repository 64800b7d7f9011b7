import { manySettingsMistake } from '../config/changeRules.ts';
import { isOnLink } from '../intercom/calls/callerPolicy.ts';
import { FleetService } from '../parts/fleet/service.ts';
import type { ProjectsService } from '../parts/projects/service.ts';
import type { UpdateService } from '../parts/update/service.ts';
import { systemClock, systemWallClock } from '../platform/clock.ts';
import { PanelBrowser } from '../platform/mdns/panelBrowser.ts';
import { ownAddresses, reachableAddress } from '../platform/networks.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';

interface FleetParts {
  readonly launch: Launch;
  readonly platform: Platform;
  readonly projects: ProjectsService;
  readonly update: () => ReturnType<UpdateService['state']> | null;
}

/** The fleet, as this panel sees it: over the broker that the MQTT surface attaches, and by mDNS. */
export function createFleet({ launch, platform, projects, update }: FleetParts): FleetService {
  const { version, log } = launch.options;
  const { dataDir, http, id, board, store, bus, kiosk } = platform;
  const neighbourhood = new PanelBrowser({
    where: () => ({ host: http.outside.host, interfaceName: store.now()['http.announceInterface'] }),
    ownId: id,
    isOnLink: (address) => isOnLink(address, ownAddresses()),
    clock: systemClock,
    log,
  });
  const ownId = () => store.now()['mqtt.id'] || id;
  return new FleetService({
    dataDir,
    isOn: () => store.now()['mqtt.fleet'],
    ownId,
    own: () => {
      const now = store.now();
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
        update: update(),
      };
    },
    neighbourhood,
    settingsMistake: manySettingsMistake,
    bus,
    clock: systemWallClock,
    log,
  });
}
