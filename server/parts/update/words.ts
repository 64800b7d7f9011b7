import type { WordsFor } from '../../contract/device.ts';
import type { updateCommands } from './contract.ts';

/** What the app says of it. */
export const updateWords = {
  update: ['Version', 'Version', 'Versión'],
  updateInstalled: ['Installed', 'Installiert', 'Instalada'],
  updateAvailable: ['Available', 'Verfügbar', 'Disponible'],
  updateNone: ['none newer', 'keine neuere', 'ninguna más nueva'],
  updateLast: ['Last update', 'Letztes Update', 'Última actualización'],
  update_idle: ['Nothing under way.', 'Nichts unterwegs.', 'Nada en curso.'],
  update_fetching: ['The bundle arrives.', 'Das Paket kommt an.', 'Está llegando el paquete.'],
  update_installing: [
    'The bundle is being checked and installed.',
    'Das Paket wird geprüft und installiert.',
    'Se está comprobando e instalando el paquete.',
  ],
  update_restarting: [
    'Installed; it begins at the restart.',
    'Installiert; sie beginnt mit dem Neustart.',
    'Instalada; empieza al reiniciar.',
  ],
  update_proving: [
    'The version has to run well for a minute; otherwise the panel goes back by itself.',
    'Die Version muss eine Minute lang gut laufen; sonst kehrt das Panel von selbst zurück.',
    'La versión debe funcionar bien un minuto; si no, el panel vuelve por sí mismo.',
  ],
  update_good: ['{version} is good.', '{version} ist gut.', '{version} es buena.'],
  update_returned: [
    '{version} was taken back. {reason}',
    '{version} wurde zurückgenommen. {reason}',
    '{version} fue retirada. {reason}',
  ],
  updateTake: ['Install {version}', '{version} installieren', 'Instalar {version}'],
  updateTakeSure: [
    'Install version {version}? The panel restarts into it, and goes back by itself if it does not work.',
    'Version {version} installieren? Das Panel startet mit ihr neu und kehrt von selbst zurück, wenn sie nicht läuft.',
    '¿Instalar la versión {version}? El panel se reinicia con ella y vuelve por sí mismo si no funciona.',
  ],
  updateTaken: [
    '{version} is installed. The panel restarts in 10 seconds.',
    '{version} ist installiert. Das Panel startet in 10 Sekunden neu.',
    '{version} está instalada. El panel se reinicia en 10 segundos.',
  ],
  updateFile: ['Install from a file', 'Aus einer Datei installieren', 'Instalar desde un archivo'],
  updateFileHint: [
    'A signed bundle (.deb). Only a key that this panel knows counts.',
    'Ein signiertes Paket (.deb). Nur ein Schlüssel, den dieses Panel kennt, zählt.',
    'Un paquete firmado (.deb). Solo vale una clave que este panel conozca.',
  ],
  updateOlder: ['Also an older version', 'Auch eine ältere Version', 'También una versión anterior'],
  updateReturn: ['Back to the version before', 'Zurück zur Version davor', 'Volver a la versión anterior'],
  updateReturnSure: [
    'Go back to the version before? Settings and projects stay as they are.',
    'Zurück zur Version davor? Einstellungen und Projekte bleiben, wie sie sind.',
    '¿Volver a la versión anterior? Los ajustes y proyectos quedan como están.',
  ],
  updateReturning: [
    'The panel goes to {version}.',
    'Das Panel geht zu {version}.',
    'El panel pasa a {version}.',
  ],
} satisfies WordsFor;

/** What its commands do. */
export const updateCommandWords = {
  'update.state': [
    'Read which version is installed',
    'Lesen, welche Version installiert ist',
    'Leer qué versión está instalada',
  ],
  'update.install': [
    'Install another version of the panel',
    'Eine andere Version des Panels installieren',
    'Instalar otra versión del panel',
  ],
  'update.fetch': [
    'Fetch and install another version of the panel',
    'Eine andere Version des Panels holen und installieren',
    'Descargar e instalar otra versión del panel',
  ],
  'update.return': [
    'Go back to the version before',
    'Zur vorigen Version zurückkehren',
    'Volver a la versión anterior',
  ],
} satisfies WordsFor<keyof typeof updateCommands>;
