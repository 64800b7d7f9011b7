import { hostname } from 'node:os';
import { maskedSettings } from '../../config/hiddenValues.ts';
import type { SettingsPageService } from '../../kiosk/settingsPage/service.ts';
import { bootSlot } from '../../platform/bootSlot.ts';
import { markReset } from '../../platform/files/dataFolder.ts';
import type { JournalService } from '../journal/service.ts';
import type { MessageService } from '../messages/service.ts';
import type { NetworkService } from '../network/service.ts';
import { type Core, definePart } from '../part.ts';
import type { ProjectsService } from '../projects/service.ts';
import type { TimeService } from '../time/service.ts';
import { ImageBootPartition, setMachineName } from './bootPartition.ts';
import { ProvisioningService } from './service.ts';

/** Longest text of the message, in characters. */
const SHOWN = 1_500;

const titles = {
  en: 'faceplate.json has mistakes: nothing of it was taken.',
  de: 'faceplate.json enthält Fehler: Nichts davon wurde übernommen.',
  es: 'faceplate.json tiene errores: no se aplicó nada.',
};

interface Needs {
  readonly journal: JournalService;
  readonly message: MessageService;
  readonly network: NetworkService;
  readonly projects: ProjectsService;
  readonly settingsPage: SettingsPageService;
  readonly time: TimeService;
}

/** What a file on the boot partition sets; only disk images have one. */
export const provisioning = definePart('provisioning', (core: Core & Needs) => {
  const { store, settings, dataDir, resetNote, restartService, clock, log } = core;
  const { journal, message, network, projects, settingsPage, time } = core;
  return new ProvisioningService({
    partition: bootSlot() === null ? null : new ImageBootPartition(),
    panel: {
      settingsMistakes: (tree) => store.mistakesOf(tree),
      maskedSettings,
      // A person who can write the boot partition owns the panel.
      changeSettings: (tree) => store.change(tree, { isOwner: true }),
      saveWifi: (ssid, password) => network.save(ssid, password),
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
        const before = await time.state();
        await time.change({ timeZone });
        return async () => void (await time.change({ timeZone: before.timeZone }));
      },
      markReset: (of) => markReset(dataDir, { ...noteOfReset(), provisioning: of }),
      resetOf: (resetNote as { provisioning?: string } | undefined)?.provisioning ?? null,
      noteGiven: (steps) => settingsPage.noteGiven(steps),
      restart: restartService,
    },
    note: (command, params) => journal.noteFact(command, params),
    tell: (mistakes) => {
      const text = mistakes.join('\n').slice(0, SHOWN);
      const title = titles[settings()['device.language']];
      message
        .show({ id: 'faceplate.provisioning', title, text, level: 'warning', style: 'dialog', seconds: 0 })
        .catch((error: unknown) => log.info({ err: error }, 'provisioning: could not show the mistakes'));
    },
    clock,
    log,
  });
});

/** For the journal of the empty panel, as a person's reset leaves it. */
function noteOfReset(): object {
  const caller = { id: 'panel', name: 'panel', address: null };
  const time = new Date().toISOString();
  return { time, command: 'panel.reset', surface: 'panel', caller, params: {}, code: 'OK', ms: 0 };
}
