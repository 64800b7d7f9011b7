import type { WordsFor } from '../contract/device.ts';
import type { intercomCommands } from './contract.ts';

/** The view in the menu: its name and its place. */
export const intercomMenu = { intercom: ['devices', 40] };

/** What the app says of it. */
export const intercomWords = {
  // Intercom
  intercom: ['Intercom', 'Sprechanlage', 'Portero'],
  sipOff: [
    'The intercom is off. With it, a door station rings on this panel, and panels call each other.',
    'Die Sprechanlage ist aus. Mit ihr klingelt eine Türstation an diesem Panel, und Panels rufen einander an.',
    'El portero está apagado. Con él, una placa de calle llama a este panel y los paneles se llaman entre sí.',
  ],
  sipTurnOn: ['Turn on intercom', 'Sprechanlage einschalten', 'Activar el portero'],
  intercomSettings: ['Settings of the intercom', 'Einstellungen der Sprechanlage', 'Ajustes del portero'],
  state: ['State', 'Zustand', 'Estado'],
  call_idle: ['idle', 'Ruhe', 'en reposo'],
  call_ringing: ['ringing', 'klingelt', 'suena'],
  'call_calling...': ['calling…', 'wird angerufen …', 'llamando…'],
  'call_incoming...': ['incoming call', 'eingehender Anruf', 'llamada entrante'],
  'call_paging...': ['announcement begins', 'Durchsage beginnt', 'empieza el aviso'],
  call_failed: ['the call failed', 'Anruf fehlgeschlagen', 'la llamada falló'],
  caller: ['Caller', 'Anrufer', 'Quien llama'],
  registration: ['Registration', 'Anmeldung', 'Registro'],
  registered: ['registered', 'angemeldet', 'registrado'],
  notRegistered: ['not registered: {reason}', 'nicht angemeldet: {reason}', 'no registrado: {reason}'],
  noRegistrar: [
    'none: no registrar is set, panels and doors are called by address',
    'keine: Es ist kein Registrar eingestellt, Panels und Türen werden über ihre Adresse gerufen',
    'ninguno: no hay registrador, paneles y puertas se llaman por su dirección',
  ],
  noReasonYet: ['no answer yet', 'noch keine Antwort', 'sin respuesta aún'],
  lastError: ['Last failure', 'Letzter Fehler', 'Último fallo'],
  doNotDisturb: ['Do not disturb', 'Nicht stören', 'No molestar'],
  doNotDisturbHint: [
    'Calls are refused silently, and stand below as missed.',
    'Anrufe werden still abgewiesen und stehen unten als verpasst.',
    'Las llamadas se rechazan en silencio y aparecen abajo como perdidas.',
  ],
  testCall: ['Test call', 'Probeanruf', 'Llamada de prueba'],
  testCallHint: [
    'Picture and voice stay at the panel: stand there, or ask somebody to.',
    'Bild und Ton bleiben am Panel: Stellen Sie sich davor, oder bitten Sie jemanden.',
    'Imagen y voz quedan en el panel: póngase delante o pídaselo a alguien.',
  ],
  peer: ['Address or extension', 'Adresse oder Nebenstelle', 'Dirección o extensión'],
  callNow: ['Call', 'Anrufen', 'Llamar'],
  callPanel: ['Call {name}', '{name} anrufen', 'Llamar a {name}'],
  answerCall: ['Answer', 'Annehmen', 'Contestar'],
  hangUp: ['Hang up', 'Auflegen', 'Colgar'],
  doors: ['Doors', 'Türen', 'Puertas'],
  noDoors: [
    'No door yet. Add your door station, to see who is there and to open.',
    'Noch keine Tür. Fügen Sie Ihre Türstation hinzu, um zu sehen, wer da ist, und zu öffnen.',
    'Todavía no hay puertas. Añada su portero para ver quién llama y abrir.',
  ],
  doorAdd: ['Add a door', 'Tür hinzufügen', 'Añadir una puerta'],
  doorsChange: ['Change the doors', 'Türen ändern', 'Cambiar las puertas'],
  door_station: [
    'What is the door called, and where is its station?',
    'Wie heißt die Tür, und wo ist ihre Station?',
    '¿Cómo se llama la puerta y dónde está su portero?',
  ],
  door_opening: [
    'How is it opened? Most stations open at a few tones during the call; some have an address.',
    'Wie wird sie geöffnet? Die meisten Stationen öffnen bei einigen Tönen im Gespräch; manche haben eine Adresse.',
    '¿Cómo se abre? La mayoría de los porteros abren con unos tonos durante la llamada; algunos tienen una dirección.',
  ],
  door_picture: [
    'Where does its picture come from, before you answer?',
    'Woher kommt ihr Bild, bevor Sie annehmen?',
    '¿De dónde viene su imagen antes de contestar?',
  ],
  openDoor: ['Open', 'Öffnen', 'Abrir'],
  openDoorOf: ['Open {name}', '{name} öffnen', 'Abrir {name}'],
  openDoorSure: ['Open "{name}" now?', '„{name}“ jetzt öffnen?', '¿Abrir «{name}» ahora?'],
  doorOpened: ['"{name}" was asked to open.', '„{name}“ soll öffnen.', 'Se ha pedido abrir «{name}».'],
  otherPanels: ['Other panels', 'Andere Panels', 'Otros paneles'],
  noPanels: [
    'No other panel is found now.',
    'Zurzeit ist kein anderes Panel zu finden.',
    'Ahora no se encuentra otro panel.',
  ],
  outgoing: ['to', 'an', 'a'],

  // History
  history: ['Last calls', 'Letzte Anrufe', 'Últimas llamadas'],
  noCalls: ['No calls yet.', 'Noch keine Anrufe.', 'Aún no hay llamadas.'],
  when: ['When', 'Wann', 'Cuándo'],
  who: ['Who', 'Wer', 'Quién'],
  result: ['Result', 'Ergebnis', 'Resultado'],
  incoming: ['from', 'von', 'de'],
  talked: ['{seconds} s', '{seconds} s', '{seconds} s'],
  outcome_answered: ['answered', 'angenommen', 'contestada'],
  outcome_missed: ['missed', 'verpasst', 'perdida'],
  outcome_rejected: ['refused', 'abgewiesen', 'rechazada'],
  outcome_ignored: ['ignored', 'ignoriert', 'ignorada'],
  outcome_answeredElsewhere: ['answered elsewhere', 'woanders angenommen', 'contestada en otro sitio'],
  outcome_cancelled: ['cancelled', 'abgebrochen', 'cancelada'],
  outcome_noAnswer: ['no answer', 'keine Antwort', 'sin respuesta'],
  outcome_busy: ['busy', 'besetzt', 'ocupado'],
  outcome_failed: ['failed', 'fehlgeschlagen', 'fallida'],
} satisfies WordsFor;

/** What its commands do. */
export const intercomCommandWords = {
  'intercom.state': ['Read the intercom', 'Die Sprechanlage lesen', 'Leer el intercomunicador'],
  'intercom.call': ['Make a call', 'Jemanden anrufen', 'Hacer una llamada'],
  'intercom.answer': ['Answer the call', 'Den Anruf annehmen', 'Contestar la llamada'],
  'intercom.hangup': ['End the call', 'Den Anruf beenden', 'Terminar la llamada'],
  'intercom.door': ['Open a door', 'Eine Tür öffnen', 'Abrir una puerta'],
  'intercom.dnd': ['Change do not disturb', '„Nicht stören“ ändern', 'Cambiar «no molestar»'],
} satisfies WordsFor<keyof typeof intercomCommands>;
