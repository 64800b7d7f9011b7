import type { WordsFor } from '../../contract/device.ts';
import type { journalCommands } from './contract.ts';

/** The view in the menu: its name and its place. */
export const journalMenu = { activity: ['people', 30] };

/** What the app says of it. */
export const journalWords = {
  activity: ['Activity', 'Aktivität', 'Actividad'],
  otherDeed: ['Another call', 'Ein anderer Aufruf', 'Otra llamada'],
  repeated: ['{count} times', '{count}-mal', '{count} veces'],
  notDone: ['not done', 'nicht ausgeführt', 'no realizado'],
  older: ['Older entries', 'Ältere Einträge', 'Entradas más antiguas'],
  timelineRange: ['Time range', 'Zeitraum', 'Intervalo'],
  range_minutes: ['Last 10 minutes', 'Letzte 10 Minuten', 'Últimos 10 minutos'],
  range_hour: ['Last hour', 'Letzte Stunde', 'Última hora'],
  range_day: ['Last 24 hours', 'Letzte 24 Stunden', 'Últimas 24 horas'],
  range_week: ['Last 7 days', 'Letzte 7 Tage', 'Últimos 7 días'],
  lane_commands: ['Commands', 'Befehle', 'Órdenes'],
  lane_page: ['Page', 'Seite', 'Página'],
  lane_pins: ['Pins', 'Pins', 'Pines'],
  timelineNone: [
    'Nothing happened in this time.',
    'In dieser Zeit ist nichts geschehen.',
    'No ha pasado nada en este tiempo.',
  ],
  edgesSince: [
    'The pins are known since the service began, {time}.',
    'Die Pins sind bekannt, seit der Dienst läuft, {time}.',
    'Los pines se conocen desde que empezó el servicio, {time}.',
  ],
  journalSince: [
    'The journal was read as far back as {time}.',
    'Das Journal wurde bis {time} zurück gelesen.',
    'El diario se leyó hasta {time}.',
  ],
  timelinePin: ['Pin', 'Pin', 'Pin'],
  timelineLevel: ['Level', 'Pegel', 'Nivel'],
  timelineBy: ['From', 'Ursprung', 'Origen'],
  timelineResult: ['Result', 'Ergebnis', 'Resultado'],
  timelineEdges: ['Changes it represents', 'Zusammengefasste Wechsel', 'Cambios que representa'],
  edgeWritten: ['the panel', 'Panel', 'el panel'],
  edgeOutside: ['outside', 'außen', 'fuera'],
} satisfies WordsFor;

/** What its commands do. */
export const journalCommandWords = {
  'journal.read': ['Read the journal', 'Das Journal lesen', 'Leer el diario'],
} satisfies WordsFor<keyof typeof journalCommands>;
