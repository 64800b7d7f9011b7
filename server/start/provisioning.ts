import { hostname } from 'node:os';
import { maskedSettings } from '../config/hiddenValues.ts';
import type { SettingsPageService } from '../kiosk/settingsPage/service.ts';
import type { Parts } from '../parts/index.ts';
import type { MessageService } from '../parts/messages/service.ts';
import type { ProjectsService } from '../parts/projects/service.ts';
import { ImageBootPartition, setMachineName } from '../parts/provisioning/bootPartition.ts';
import { ProvisioningService } from '../parts/provisioning/service.ts';
import { bootSlot } from '../platform/bootSlot.ts';
import { systemClock } from '../platform/clock.ts';
import { markReset } from '../platform/files/dataFolder.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';

/** Longest text of the message, in characters. */
const SHOWN = 1_500;

const titles = {
  en: 'faceplate.json has mistakes: nothing of it was taken.',
  de: 'faceplate.json enthält Fehler: Nichts davon wurde übernommen.',
  es: 'faceplate.json tiene errores: no se aplicó nada.',
};

interface ProvisioningParts {
  readonly launch: Launch;
  readonly platform: Platform;
  readonly parts: Parts;
  readonly projects: ProjectsService;
  readonly settingsPage: SettingsPageService;
  readonly message: MessageService;
}

/** What a file on the boot partition sets; only disk images have one. */
export function createProvisioning(needs: ProvisioningParts): ProvisioningService {
  const { launch, platform, parts, projects, settingsPage, message } = needs;
  const { store, dataDir, journal, reset } = platform;
  const { log, restart } = launch.options;
  return new ProvisioningService({
    partition: bootSlot() === null ? null : new ImageBootPartition(),
    panel: {
      settingsMistakes: (tree) => store.mistakesOf(tree),
      maskedSettings,
      // Whoever can write the boot partition owns the panel.
      changeSettings: (tree) => store.change(tree, { isOwner: true }),
      saveWifi: (ssid, password) => parts.network.save(ssid, password),
      installProject: async (path) => {
        const { active } = projects;
        await projects.installFile(path);
        const installed = projects.active;
        return async () => {
          if (active !== null && active !== installed) await projects.activate({ id: active });
          else if (active === installed && installed !== null) await projects.rollback({ id: installed });
          else if (installed !== null) await projects.remove({ id: installed });
        };
      },
      setHostname: async (name) => {
        const before = hostname();
        await setMachineName(name);
        return () => setMachineName(before);
      },
      setTimeZone: async (timeZone) => {
        const before = await parts.time.state();
        await parts.time.change({ timeZone });
        return async () => void (await parts.time.change({ timeZone: before.timeZone }));
      },
      markReset: (of) => markReset(dataDir, { ...resetNote(), provisioning: of }),
      resetOf: (reset?.note as { provisioning?: string } | undefined)?.provisioning ?? null,
      noteGiven: (steps) => settingsPage.noteGiven(steps),
      restart,
    },
    note: (command, params) => journal.noteFact(command, params),
    tell: (mistakes) => {
      const text = mistakes.join('\n').slice(0, SHOWN);
      const title = titles[store.now()['device.language']];
      message
        .show({ id: 'faceplate.provisioning', title, text, level: 'warning', style: 'dialog', seconds: 0 })
        .catch((error: unknown) => log.info({ err: error }, 'provisioning: could not show the mistakes'));
    },
    clock: systemClock,
    log,
  });
}

/** For the journal of the empty panel, as a person's reset leaves it. */
function resetNote(): object {
  const caller = { id: 'panel', name: 'panel', address: null };
  const time = new Date().toISOString();
  return { time, command: 'panel.reset', surface: 'panel', caller, params: {}, code: 'OK', ms: 0 };
}
