import type { WordsFor } from '../../../contract/device.ts';

/** What the editors of settings say. */
export const fieldsWords = {
  // PIN and token of the owner
  changeKey: ['Change', 'Ändern', 'Cambiar'],
  renew: ['Renew', 'Erneuern', 'Renovar'],
  keyMissing: ['Not chosen yet', 'Noch nicht gewählt', 'Sin elegir todavía'],
  pinSet: ['Set on the panel', 'Am Panel gesetzt', 'Elegido en el panel'],
  pinSetAt: ['Set on the panel ({date})', 'Am Panel gesetzt ({date})', 'Elegido en el panel ({date})'],
  keyHeld: ['Set by this setting', 'Durch diese Einstellung gesetzt', 'Fijado por este ajuste'],
  tokenMadeAt: [
    'Created by the panel ({date})',
    'Vom Panel erzeugt ({date})',
    'Creado por el panel ({date})',
  ],
} satisfies WordsFor;
