import type { WordsFor } from './device.ts';
import type { systemCommands } from './system.ts';

/** What its commands do. */
export const contractCommandWords = {
  'system.info': ['Read what the panel is', 'Angaben zum Panel lesen', 'Leer los datos del panel'],
  'system.reboot': ['Restart the panel', 'Das Panel neu starten', 'Reiniciar el panel'],
  'system.restart': ['Restart the service', 'Den Dienst neu starten', 'Reiniciar el servicio'],
  'system.simulate': ['Simulate an input', 'Einen Eingang simulieren', 'Simular una entrada'],
} satisfies WordsFor<keyof typeof systemCommands>;
