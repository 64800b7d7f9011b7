import type { WordsFor } from '../../contract/device.ts';
import type { appsCommands } from './contract.ts';

/** How the part is called. */
export const appsWords = {
  part_apps: ['Programs', 'Programme', 'Programas'],
} satisfies WordsFor;

/** What its commands do. */
export const appsCommandWords = {
  'apps.list': ['List the programs', 'Die Programme auflisten', 'Listar los programas'],
  'apps.launch': ['Start a program', 'Ein Programm starten', 'Iniciar un programa'],
  'apps.install': ['Install a program', 'Ein Programm installieren', 'Instalar un programa'],
  'apps.uninstall': ['Remove a program', 'Ein Programm entfernen', 'Quitar un programa'],
} satisfies WordsFor<keyof typeof appsCommands>;
