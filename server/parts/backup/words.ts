import type { WordsFor } from '../../contract/device.ts';
import type { backupCommands } from './contract.ts';

/** The view in the menu: its name and its place. */
export const backupMenu = { backup: ['system', 20] };

/** What the app says of it. */
export const backupWords = {
  backup: ['Backup', 'Sicherung', 'Copia de seguridad'],
  backupSave: ['Save the panel', 'Panel sichern', 'Guardar el panel'],
  backupMade: ['The backup is made.', 'Die Sicherung ist fertig.', 'La copia está hecha.'],
  passphrase: ['Passphrase', 'Passphrase', 'Frase de paso'],
  passphraseHint: [
    'With one, secrets such as passwords are in it, encrypted. Only the owner may give one. Without it they are left out, and so are the queries of addresses.',
    'Mit ihr sind Geheimnisse wie Passwörter darin, verschlüsselt. Nur der Eigentümer darf sie angeben. Ohne sie fehlen die Geheimnisse und die Abfrageteile von Adressen.',
    'Con ella incluye secretos como contraseñas, cifrados. Solo el propietario puede darla. Sin ella se omiten, igual que las consultas de las direcciones.',
  ],
  passphraseNeeded: [
    'Needed where the backup holds secrets.',
    'Nötig, wenn die Sicherung Geheimnisse enthält.',
    'Necesaria si la copia contiene secretos.',
  ],
  withProjects: ['With the projects', 'Mit den Projekten', 'Con los proyectos'],
  restore: ['Restore a backup', 'Sicherung einspielen', 'Restaurar una copia'],
  restoreHint: [
    'What the backup holds replaces what is there: all of it, or nothing.',
    'Was die Sicherung enthält, ersetzt das Vorhandene: alles oder nichts.',
    'Lo que contiene la copia sustituye lo que hay: todo o nada.',
  ],
  restoreSure: [
    'Replace the settings and projects of this panel by those of the backup?',
    'Einstellungen und Projekte dieses Panels durch die der Sicherung ersetzen?',
    '¿Sustituir los ajustes y proyectos de este panel por los de la copia?',
  ],
  restoredWhat: ['Restored: {what}', 'Eingespielt: {what}', 'Restaurado: {what}'],
  restoreSkipped: ['Left alone: {keys}', 'Nicht angetastet: {keys}', 'Sin tocar: {keys}'],
  restoreCleared: [
    'Cleared, as they would go to another server: {keys}',
    'Gelöscht, weil sie an einen anderen Server gingen: {keys}',
    'Borrado, porque iría a otro servidor: {keys}',
  ],
} satisfies WordsFor;

/** What its commands do. */
export const backupCommandWords = {
  'backup.create': ['Make a backup', 'Eine Sicherung erstellen', 'Crear una copia de seguridad'],
  'backup.restore': [
    'Take a backup back',
    'Eine Sicherung zurückspielen',
    'Restaurar una copia de seguridad',
  ],
  'panel.reset': [
    'Reset the panel; all is deleted',
    'Das Panel zurücksetzen; alles wird gelöscht',
    'Restablecer el panel; se borra todo',
  ],
} satisfies WordsFor<keyof typeof backupCommands>;
