import type { WordsFor } from '../../contract/device.ts';
import type { rtcCommands } from './contract.ts';

/** The view in the menu: its name and its place. */
export const sleepMenu = { schedule: ['screen', 30] };

/** What the app says of it. */
export const sleepWords = {
  schedule: ['Schedule', 'Zeitplan', 'Horario'],
  scheduleTitle: ['Sleep schedule', 'Schlafplan', 'Horario de reposo'],
  scheduleHint: [
    'In sleep time the screen is dark, and the panel uses as little power as it can. A touch wakes it for five minutes.',
    'In der Schlafzeit ist der Bildschirm dunkel, und das Panel braucht so wenig Strom wie möglich. Eine Berührung weckt es für fünf Minuten.',
    'Durante el reposo la pantalla está oscura y el panel consume lo mínimo. Un toque lo despierta cinco minutos.',
  ],
  scheduleOn: ['Sleep by schedule', 'Nach Zeitplan schlafen', 'Reposar según el horario'],
  scheduleWeek: ['When the panel is awake', 'Wann das Panel wach ist', 'Cuándo está despierto el panel'],
  sleepsAt: ['Sleeps at', 'Schläft ab', 'Reposa a las'],
  wakesAt: ['Wakes at', 'Wacht auf um', 'Despierta a las'],
  wakesOn: ['Wakes on', 'Wacht auf am', 'Despierta el'],
  saveAndOn: ['Save and turn on', 'Speichern und einschalten', 'Guardar y activar'],
  sleepsAllDay: ['asleep', 'schläft', 'en reposo'],
  nextSleep: ['Next sleep', 'Schläft das nächste Mal', 'Próximo reposo'],
  nextWake: ['Next waking', 'Wacht das nächste Mal auf', 'Próximo despertar'],
  part_rtc: ['Wake alarm', 'Wecker', 'Despertador'],
} satisfies WordsFor;

/** What its commands do. */
export const sleepCommandWords = {
  'rtc.alarm': ['Read the sleep schedule', 'Den Schlafplan lesen', 'Leer el horario de reposo'],
  'rtc.setAlarm': ['Change the sleep schedule', 'Den Schlafplan ändern', 'Cambiar el horario de reposo'],
} satisfies WordsFor<keyof typeof rtcCommands>;
