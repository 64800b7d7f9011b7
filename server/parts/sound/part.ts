import { pageFolders } from '../../kiosk/addresses.ts';
import { type Core, definePart } from '../part.ts';
import type { ProjectsService } from '../projects/service.ts';
import { soundCommands } from './contract.ts';
import { EspeakVoice } from './espeak.ts';
import { GstreamerDecoder } from './gstreamer.ts';
import { SoundService } from './service.ts';

/** Sounds, files and speech on the loudspeaker. */
export const sound = definePart(
  'sound',
  ({
    drivers,
    session,
    settings,
    kiosk,
    saver,
    projects,
    closedPorts,
    events,
    log,
  }: Core & { readonly projects: ProjectsService }) =>
    new SoundService({
      driver: drivers.sound,
      decoder: new GstreamerDecoder(session),
      voice: new EspeakVoice(),
      places: {
        origin: () => kiosk.addresses.activeOrigin,
        folder: () => pageFolders(projects, saver).folderOf(kiosk.addresses.activeId),
        closedPorts,
      },
      language: () => settings()['device.language'],
      events,
      log,
    }),
)
  .answering(soundCommands, (service) => ({
    'sound.stop': () => service.silence(),
  }))
  .showing((service) => {
    const { state, reason } = service.part();
    // A loudspeaker may come up later than the panel.
    return { hasSound: state !== 'absent' || reason === 'not started' };
  });
