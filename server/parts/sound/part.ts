import { definePart } from '../part.ts';
import { soundCommands } from './contract.ts';
import { EspeakVoice } from './espeak.ts';
import { GstreamerDecoder } from './gstreamer.ts';
import { SoundService } from './service.ts';

/** Sounds, files and speech on the loudspeaker. */
export const sound = definePart(
  'sound',
  ({ drivers, session, soundPlaces, settings, events, log }) =>
    new SoundService({
      driver: drivers.sound,
      decoder: new GstreamerDecoder(session),
      voice: new EspeakVoice(),
      places: soundPlaces,
      language: () => settings()['device.language'],
      events,
      log,
    }),
).answering(soundCommands, (service) => ({
  'sound.stop': () => service.silence(),
}));
