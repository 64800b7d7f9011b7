import type { WordsFor } from '../../contract/device.ts';
import type { projectsCommands } from './contract.ts';

/** The view in the menu: its name and its place. */
export const projectsMenu = { projects: ['content', 20] };

/** What the app says of it. */
export const projectsWords = {
  projects: ['Projects', 'Projekte', 'Proyectos'],
  noProjects: [
    'No project is installed: the panel shows the demo.',
    'Kein Projekt installiert: Das Panel zeigt die Demo.',
    'No hay proyectos instalados: el panel muestra la demostración.',
  ],
  active: ['Live', 'Live', 'En pantalla'],
  activate: ['Show', 'Zeigen', 'Mostrar'],
  rollback: ['Previous version', 'Vorherige Version', 'Versión anterior'],
  rollbackSure: [
    'Go back to the previous version of "{name}"? The newer one is removed.',
    'Zur vorherigen Version von „{name}“ zurück? Die neuere wird entfernt.',
    '¿Volver a la versión anterior de «{name}»? La más nueva se elimina.',
  ],
  removeSure: [
    'Remove "{name}" with all its versions?',
    '„{name}“ mit allen Versionen entfernen?',
    '¿Eliminar «{name}» con todas sus versiones?',
  ],
  dropProject: [
    'Drop a .zip or .ch5z file here, or choose one',
    'Eine .zip- oder .ch5z-Datei hier ablegen oder auswählen',
    'Suelte aquí un archivo .zip o .ch5z, o elija uno',
  ],
  projectName: ['Name of the project', 'Name des Projekts', 'Nombre del proyecto'],
  installed: ['"{name}" is installed.', '„{name}“ ist installiert.', '«{name}» está instalado.'],
  rollbackTo: [
    'Back to the version of {time}',
    'Zurück zur Version vom {time}',
    'Volver a la versión del {time}',
  ],
  noVersionBefore: [
    'There is no version before this one.',
    'Es gibt keine Version vor dieser.',
    'No hay ninguna versión anterior.',
  ],
  moreOf: ['More: {name}', 'Mehr: {name}', 'Más: {name}'],
  pictureOf: ['{name} on the screen', '{name} auf dem Bildschirm', '{name} en la pantalla'],
  parametersChange: ['Parameters…', 'Parameter …', 'Parámetros…'],
  parametersOf: ['Parameters of {name}', 'Parameter von {name}', 'Parámetros de {name}'],
  parameters: ['Parameters', 'Parameter', 'Parámetros'],
  parametersHint: [
    'Appended to the address of the page, such as room=12&lang=en.',
    'Werden an die Adresse der Seite angehängt, zum Beispiel room=12&lang=de.',
    'Se añaden a la dirección de la página, como room=12&lang=es.',
  ],
  installedAt: ['Installed {time}', 'Installiert {time}', 'Instalado {time}'],
} satisfies WordsFor;

/** What its commands do. */
export const projectsCommandWords = {
  'projects.list': ['List the projects', 'Die Projekte auflisten', 'Listar los proyectos'],
  'projects.install': ['Install a project', 'Ein Projekt installieren', 'Instalar un proyecto'],
  'projects.patch': ['Change a project', 'Ein Projekt ändern', 'Cambiar un proyecto'],
  'projects.fetch': [
    'Fetch and install a project',
    'Ein Projekt holen und installieren',
    'Traer e instalar un proyecto',
  ],
  'projects.activate': ['Show another project', 'Ein anderes Projekt zeigen', 'Mostrar otro proyecto'],
  'projects.rollback': [
    'Go back to the version before',
    'Zur vorigen Version zurückgehen',
    'Volver a la versión anterior',
  ],
  'projects.remove': ['Remove a project', 'Ein Projekt entfernen', 'Quitar un proyecto'],
  'kiosk.reload': ['Load the page again', 'Die Seite neu laden', 'Cargar la página de nuevo'],
  'kiosk.screenshot': [
    'Take a picture of the screen',
    'Ein Bild vom Bildschirm machen',
    'Hacer una imagen de la pantalla',
  ],
} satisfies WordsFor<keyof typeof projectsCommands>;
