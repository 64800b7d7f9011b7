/** Why the server of the page cannot be reached. */
export type OutageReason = 'refused' | 'silent' | 'no-network' | 'no-name' | 'unreachable';

interface WaitingTexts {
  /** `{place}` stands for the origin of the page. */
  readonly waitingFor: string;
  readonly reasons: Readonly<Record<OutageReason, string>>;
  readonly again: string;
  readonly manage: string;
}

const en: WaitingTexts = {
  waitingFor: 'Waiting for {place}',
  reasons: {
    refused: 'The server of the page is not running.',
    silent: 'The server of the page does not answer.',
    'no-network': 'This panel has no network.',
    'no-name': 'The name of the server cannot be found.',
    unreachable: 'The server of the page cannot be reached.',
  },
  again: 'Trying again automatically.',
  manage: 'To manage this panel, scan the code or open this address.',
};

const de: WaitingTexts = {
  waitingFor: 'Warten auf {place}',
  reasons: {
    refused: 'Der Server der Seite läuft nicht.',
    silent: 'Der Server der Seite antwortet nicht.',
    'no-network': 'Dieses Panel hat kein Netzwerk.',
    'no-name': 'Der Name des Servers ist nicht zu finden.',
    unreachable: 'Der Server der Seite ist nicht erreichbar.',
  },
  again: 'Es wird von selbst weiter versucht.',
  manage: 'Um dieses Panel zu verwalten, den Code scannen oder diese Adresse öffnen.',
};

const es: WaitingTexts = {
  waitingFor: 'Esperando a {place}',
  reasons: {
    refused: 'El servidor de la página no está en marcha.',
    silent: 'El servidor de la página no responde.',
    'no-network': 'Este panel no tiene red.',
    'no-name': 'No se encuentra el nombre del servidor.',
    unreachable: 'No se puede acceder al servidor de la página.',
  },
  again: 'Se sigue intentando automáticamente.',
  manage: 'Para gestionar este panel, escanee el código o abra esta dirección.',
};

/** What the waiting page says, by language. */
export const waitingTexts: Readonly<Record<string, WaitingTexts>> = { en, de, es };
