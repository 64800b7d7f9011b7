import type { WordsFor } from '../contract/device.ts';
import type { streamCommands } from './contract.ts';
import { mendedWords } from './media/mendedWords.ts';
import type { onvifCommands } from './onvif/onvifContract.ts';
import type { snapshotCommands } from './snapshot/snapshotContract.ts';

/** The view in the menu: its name and its place. */
export const videoMenu = { cameras: ['devices', 30] };

/** What the app says of it. */
export const videoWords = {
  ...mendedWords,
  // Sessions
  cameras: ['Cameras', 'Kameras', 'Cámaras'],
  cameraSettings: ['Settings of cameras', 'Einstellungen der Kameras', 'Ajustes de las cámaras'],
  video: ['Video', 'Bild', 'Vídeo'],
  kilobits: ['{rate} kbit/s', '{rate} kbit/s', '{rate} kbit/s'],
  lostOf: [
    'Lost packets: {lost} of {packets}',
    'Verlorene Pakete: {lost} von {packets}',
    'Paquetes perdidos: {lost} de {packets}',
  ],
  sessions: ['Who watches now', 'Wer gerade zusieht', 'Quién mira ahora'],
  sessionsOf: ['{count} of at most {max}', '{count} von höchstens {max}', '{count} de {max} como máximo'],
  noSessions: ['Nobody watches a camera.', 'Niemand sieht einer Kamera zu.', 'Nadie mira una cámara.'],
  stream_connecting: ['connecting', 'verbindet', 'conectando'],
  stream_playing: ['playing', 'läuft', 'en marcha'],
  stream_stalled: ['no picture arrives', 'es kommt kein Bild an', 'no llega imagen'],
  viewersOf: [
    '{viewers} watch this camera, since {time}',
    '{viewers} sehen dieser Kamera zu, seit {time}',
    '{viewers} miran esta cámara, desde {time}',
  ],
  livePicture: ['Picture', 'Bild', 'Imagen'],
  pictureElsewhere: [
    'The picture is shown only on the panel itself: its video never leaves the machine. Open these settings there, with five fingers.',
    'Das Bild ist nur am Panel selbst zu sehen: Sein Video verlässt das Gerät nie. Dort mit fünf Fingern diese Einstellungen öffnen.',
    'La imagen solo se ve en el propio panel: su vídeo nunca sale del equipo. Abra allí estos ajustes, con cinco dedos.',
  ],
  showPicture: ['Show the picture', 'Bild zeigen', 'Mostrar la imagen'],
  hidePicture: ['Hide the picture', 'Bild verbergen', 'Ocultar la imagen'],

  // Cameras by name
  namedCameras: ['Cameras by name', 'Kameras mit Namen', 'Cámaras con nombre'],
  noNamedCameras: [
    'No camera has a name yet.',
    'Noch hat keine Kamera einen Namen.',
    'Ninguna cámara tiene nombre todavía.',
  ],
  neverWatched: [
    'Not watched since the start.',
    'Seit dem Start nicht gesehen.',
    'Sin ver desde el arranque.',
  ],
  cameraPicture: ['Picture of {name}', 'Bild von {name}', 'Imagen de {name}'],
  newPicture: ['Take a new picture', 'Neues Bild holen', 'Tomar otra imagen'],
  noPicture: ['no picture', 'kein Bild', 'sin imagen'],
  profiles: ['Profiles', 'Profile', 'Perfiles'],
  chosenSmall: ['for tiles', 'für Kacheln', 'para mosaicos'],
  chosenLarge: ['for the full screen', 'für das ganze Bild', 'para pantalla completa'],
  canMove: ['can be moved', 'lässt sich bewegen', 'se puede mover'],
  canTalk: ['has a loudspeaker', 'hat einen Lautsprecher', 'tiene altavoz'],
  hasEvents: ['reports what it sees', 'meldet, was sie sieht', 'avisa de lo que ve'],
  clockOff: [
    'Its clock is off by {seconds} s: set it, many cameras refuse right logins for that.',
    'Ihre Uhr geht um {seconds} s falsch: stellen, denn viele Kameras lehnen sonst richtige Anmeldungen ab.',
    'Su reloj está desviado {seconds} s: ajústelo, muchas cámaras rechazan por eso credenciales correctas.',
  ],
  removeCamera: ['Remove', 'Entfernen', 'Quitar'],
  removeCameraSure: [
    'Remove the camera {name}? Pages that show it by its name lose it.',
    'Kamera {name} entfernen? Seiten, die sie mit diesem Namen zeigen, verlieren sie.',
    '¿Quitar la cámara {name}? Las páginas que la muestran por su nombre la pierden.',
  ],
  newCamera: ['Add a camera', 'Kamera hinzufügen', 'Añadir una cámara'],
  searchCameras: ['Search the network', 'Im Netz suchen', 'Buscar en la red'],
  searchingCameras: ['Searching…', 'Suche läuft …', 'Buscando...'],
  noCamerasFound: [
    'No camera answered. Switch ONVIF on in the camera, or type its address.',
    'Keine Kamera hat geantwortet. ONVIF in der Kamera einschalten, oder ihre Adresse eingeben.',
    'Ninguna cámara ha respondido. Active ONVIF en la cámara o escriba su dirección.',
  ],
  takeCamera: ['Take', 'Nehmen', 'Elegir'],
  cameraName: ['Name', 'Name', 'Nombre'],
  newCameraHint: [
    'onvif://192.168.1.20/ finds its streams by itself; rtsp:// with the path works too. The login has its own fields.',
    'onvif://192.168.1.20/ findet ihre Ströme selbst; rtsp:// mit Pfad geht auch. Die Anmeldung hat eigene Felder.',
    'onvif://192.168.1.20/ encuentra sus flujos sola; rtsp:// con la ruta también vale. Las credenciales van aparte.',
  ],
  cameraUser: ['User of the camera', 'Benutzer der Kamera', 'Usuario de la cámara'],
  cameraPassword: ['Password of the camera', 'Passwort der Kamera', 'Clave de la cámara'],
  addCamera: ['Add', 'Hinzufügen', 'Añadir'],
  cameraAdded: ['The camera is there.', 'Die Kamera ist eingetragen.', 'La cámara está añadida.'],

  // Test of a camera
  tryCamera: ['Try a camera', 'Eine Kamera prüfen', 'Probar una cámara'],
  cameraAddress: ['Address of the camera', 'Adresse der Kamera', 'Dirección de la cámara'],
  cameraHint: [
    'Such as rtsp://user:password@192.168.1.20:554/path. The panel watches it for three seconds.',
    'Zum Beispiel rtsp://benutzer:passwort@192.168.1.20:554/pfad. Das Panel sieht drei Sekunden lang zu.',
    'Por ejemplo rtsp://usuario:clave@192.168.1.20:554/ruta. El panel la mira tres segundos.',
  ],
  inspect: ['Check', 'Prüfen', 'Comprobar'],
  inspecting: ['Watching the camera…', 'Die Kamera wird beobachtet …', 'Mirando la cámara...'],
  camera_OK: ['It plays.', 'Sie läuft.', 'Se ve.'],
  camera_B_FRAMES: [
    'It plays jerkily: the camera sends B-frames. Switch them off, or use the profile Baseline.',
    'Sie ruckelt: Die Kamera sendet B-Frames. Ausschalten, oder das Profil Baseline nehmen.',
    'Se ve a saltos: la cámara envía fotogramas B. Desactívelos o use el perfil Baseline.',
  ],
  camera_UNSUPPORTED_CODEC: [
    'Browsers cannot play this video. Set H.264 in the camera, or use its second stream.',
    'Dieses Bild können Browser nicht abspielen. H.264 in der Kamera einstellen, oder ihren zweiten Strom nehmen.',
    'Los navegadores no pueden mostrar este vídeo. Ponga H.264 en la cámara o use su segundo flujo.',
  ],
  camera_NO_VIDEO: [
    'There is no video at this path. Use the path of a video stream.',
    'Unter diesem Pfad gibt es kein Bild. Den Pfad eines Videostroms nehmen.',
    'En esta ruta no hay vídeo. Use la ruta de un flujo de vídeo.',
  ],
  camera_NO_MEDIA: [
    'The camera starts, and sends nothing. Restart it, or switch the stream on.',
    'Die Kamera beginnt, sendet aber nichts. Neu starten, oder den Strom einschalten.',
    'La cámara empieza y no envía nada. Reiníciela o active el flujo.',
  ],
  camera_NO_KEY_FRAME: [
    'Video comes, but no picture to begin with. Set a shorter key frame interval (1 to 2 s), no intra refresh.',
    'Es kommt Bild, aber keines zum Anfangen. Kürzeres Keyframe-Intervall (1 bis 2 s) einstellen, kein Intra-Refresh.',
    'Llega vídeo, pero ninguna imagen para empezar. Ponga un intervalo de fotogramas clave más corto (1 a 2 s), sin intra refresh.',
  ],
  camera_CAMERA_UNAUTHORIZED: [
    'The login is missing or wrong. Many cameras lock a user for minutes after wrong ones.',
    'Die Anmeldung fehlt oder ist falsch. Viele Kameras sperren danach für Minuten.',
    'Falta el usuario o la clave, o no son correctos. Muchas cámaras bloquean unos minutos tras un error.',
  ],
  camera_CAMERA_NOT_FOUND: [
    'The camera has no stream at this path; its manual names the right one.',
    'Unter diesem Pfad hat die Kamera keinen Strom; ihr Handbuch nennt den richtigen.',
    'La cámara no tiene ningún flujo en esta ruta; su manual indica la correcta.',
  ],
  camera_CAMERA_UNREACHABLE: [
    'The camera cannot be reached: power, network, address, RTSP switched on?',
    'Die Kamera ist nicht erreichbar: Strom, Netz, Adresse, RTSP eingeschaltet?',
    'No se llega a la cámara: ¿corriente, red, dirección, RTSP activado?',
  ],
  camera_CAMERA_TIMEOUT: [
    'The camera does not answer. Restart it; look for a firewall, or too many viewers.',
    'Die Kamera antwortet nicht. Neu starten; Firewall oder zu viele Zuschauer?',
    'La cámara no responde. Reiníciela; ¿hay un cortafuegos o demasiados espectadores?',
  ],
  camera_CAMERA_TLS: [
    'The certificate of the camera is not trusted. Compare its fingerprint under Access, or use rtsp://.',
    'Dem Zertifikat der Kamera wird nicht vertraut. Fingerabdruck unter Zugang vergleichen, oder rtsp:// nehmen.',
    'No se confía en el certificado de la cámara. Compare su huella en Acceso o use rtsp://.',
  ],
  camera_CAMERA_PROTOCOL: [
    'What answers there speaks no proper RTSP. Check port and path, and close other viewers.',
    'Was dort antwortet, spricht kein richtiges RTSP. Port und Pfad prüfen, andere Zuschauer schließen.',
    'Lo que responde ahí no habla RTSP correctamente. Revise puerto y ruta, y cierre otros espectadores.',
  ],
  mended: ['What the panel puts right', 'Was das Panel richtet', 'Lo que corrige el panel'],
  sound: ['Sound', 'Ton', 'Sonido'],
  soundNone: ['The camera sends none.', 'Die Kamera sendet keinen.', 'La cámara no envía.'],
  soundHeard: ['{codec}: it is heard.', '{codec}: Er ist zu hören.', '{codec}: se oye.'],
  soundNotHeard: [
    '{codec}: it is not heard, since browsers cannot play it in a live picture. Set G.711 (PCMU or PCMA), G.722 or Opus in the camera.',
    '{codec}: Er ist nicht zu hören, denn Browser spielen ihn im Live-Bild nicht ab. In der Kamera G.711 (PCMU oder PCMA), G.722 oder Opus einstellen.',
    '{codec}: no se oye, porque los navegadores no lo reproducen en directo. Ponga G.711 (PCMU o PCMA), G.722 u Opus en la cámara.',
  ],
  pictureSize: ['Picture', 'Bildgröße', 'Imagen'],
  bitrate: ['Bit rate', 'Bitrate', 'Tasa de bits'],
  transport: ['Transport', 'Übertragung', 'Transporte'],
  lostPackets: ['Lost packets', 'Verlorene Pakete', 'Paquetes perdidos'],
  keyFrames: ['Key frames seen', 'Gesehene Keyframes', 'Fotogramas clave vistos'],
} satisfies WordsFor;

/** What its commands do. */
export const videoCommandWords = {
  'stream.open': ['Open a camera', 'Eine Kamera öffnen', 'Abrir una cámara'],
  'stream.size': [
    'Tell how large a camera is shown',
    'Sagen, wie groß eine Kamera gezeigt wird',
    'Decir a qué tamaño se ve una cámara',
  ],
  'stream.close': ['Close a camera', 'Eine Kamera schließen', 'Cerrar una cámara'],
  'stream.inspect': ['Examine a camera', 'Eine Kamera untersuchen', 'Examinar una cámara'],
  'stream.cameras.named': [
    'List the cameras that have a name',
    'Kameras mit Namen auflisten',
    'Listar las cámaras con nombre',
  ],
  'stream.search': [
    'Look for cameras in the network',
    'Im Netzwerk nach Kameras suchen',
    'Buscar cámaras en la red',
  ],
  'stream.profiles': [
    'Ask a camera what it can do',
    'Eine Kamera fragen, was sie kann',
    'Preguntar a una cámara qué puede hacer',
  ],
  'stream.ptz': ['Move a camera', 'Eine Kamera bewegen', 'Mover una cámara'],
  'stream.snapshot': [
    'Take a picture of a camera',
    'Ein Bild einer Kamera holen',
    'Tomar una imagen de una cámara',
  ],
  'stream.mjpeg': [
    'Take pictures of a camera, one after the other',
    'Bilder einer Kamera holen, eines nach dem anderen',
    'Tomar imágenes de una cámara, una tras otra',
  ],
  'stream.sessions': ['List open cameras', 'Offene Kameras auflisten', 'Listar las cámaras abiertas'],
} satisfies WordsFor<
  keyof typeof streamCommands | keyof typeof onvifCommands | keyof typeof snapshotCommands
>;
