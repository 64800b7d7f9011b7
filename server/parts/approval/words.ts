import type { Scope } from '../../contract/access.ts';
import { languages } from '../../contract/device.ts';

/** A text in the languages of the panel, in their order. */
export type Words = readonly [en: string, de: string, es: string];

/** What the question says, beside the words of the command. */
export const askWords = {
  title: [
    'Somebody asks from outside. Allow it?',
    'Jemand fragt von außen an. Erlauben?',
    'Alguien lo pide desde fuera. ¿Permitirlo?',
  ],
  caller: ['Who', 'Wer', 'Quién'],
  scopes: ['May', 'Darf', 'Puede'],
  madeAt: ['Token made', 'Token erzeugt', 'Token creado'],
  address: ['From', 'Von', 'Desde'],
  topic: ['Topic (MQTT)', 'Topic (MQTT)', 'Tema (MQTT)'],
  broker: ['Broker', 'Broker', 'Bróker'],
  command: ['Command', 'Befehl', 'Orden'],
  yes: ['Yes', 'Ja', 'Sí'],
  no: ['No', 'Nein', 'No'],
} as const satisfies Readonly<Record<string, Words>>;

/** What a token opens, in words. */
export const scopeWords: Readonly<Record<Scope, Words>> = {
  view: ['see everything', 'alles sehen', 'verlo todo'],
  control: ['operate hardware and page', 'Hardware und Seite bedienen', 'manejar hardware y página'],
  manage: ['manage the panel', 'das Panel verwalten', 'administrar el panel'],
  terminal: ['run commands and scripts', 'Befehle und Skripte ausführen', 'ejecutar órdenes y scripts'],
  doors: ['open doors', 'Türen öffnen', 'abrir puertas'],
};

/** Where the texts of a language stand; those of English for one that is not known. */
export function indexOf(language: string): 0 | 1 | 2 {
  return Math.max(0, (languages as readonly string[]).indexOf(language)) as 0 | 1 | 2;
}
