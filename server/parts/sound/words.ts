import type { WordsFor } from '../../contract/device.ts';
import type { soundCommands } from './contract.ts';

/** What the app says of it. */
export const soundWords = {
  part_sound: ['Sound', 'Ton', 'Sonido'],
  soundTitle: ['Sounds', 'Klänge', 'Sonidos'],
  sound_none: ['None', 'Keiner', 'Ninguno'],
  sound_chime: ['Chime', 'Gong', 'Campanilla'],
  sound_alert: ['Alert', 'Hinweiston', 'Aviso'],
  sound_alarm: ['Alarm', 'Alarm', 'Alarma'],
  sound_bell: ['Bell', 'Klingel', 'Timbre'],
  soundUrl: ['Address of a sound', 'Adresse eines Klangs', 'Dirección de un sonido'],
  soundPlay: ['Play', 'Abspielen', 'Reproducir'],
  soundStop: ['Stop sounds', 'Töne beenden', 'Detener sonidos'],
  speechTitle: ['Speech', 'Sprache', 'Voz'],
  speechLanguage: ['Language', 'Sprache', 'Idioma'],
  speechSay: ['Say it', 'Vorlesen', 'Decir'],
} satisfies WordsFor;

/** What its commands do. */
export const soundCommandWords = {
  'sound.play': ['Play a sound', 'Einen Klang abspielen', 'Reproducir un sonido'],
  'sound.speak': ['Say a text', 'Einen Text vorlesen', 'Leer un texto en voz alta'],
  'sound.stop': ['End all sounds', 'Alle Klänge beenden', 'Terminar todos los sonidos'],
} satisfies WordsFor<keyof typeof soundCommands>;
