import type { WordsFor } from '../../contract/device.ts';
import type { messageCommands } from './contract.ts';

/** The view in the menu: its name and its place. */
export const messagesMenu = { messages: ['content', 30] };

/** What the app says of it. */
export const messagesWords = {
  messages: ['Messages', 'Mitteilungen', 'Mensajes'],
  messageTitle: ['Message on the screen', 'Mitteilung auf dem Bildschirm', 'Mensaje en la pantalla'],
  messageHint: [
    'It appears above every page and wakes the screen.',
    'Sie erscheint über jeder Seite und weckt den Bildschirm.',
    'Se muestra sobre cualquier página y despierta la pantalla.',
  ],
  messageHead: ['Title', 'Überschrift', 'Título'],
  messageStyle: ['Place', 'Platz', 'Lugar'],
  messageLevel: ['Kind', 'Art', 'Tipo'],
  messageSeconds: [
    'Seconds (0: until closed)',
    'Sekunden (0: bis zum Schließen)',
    'Segundos (0: hasta cerrarlo)',
  ],
  messageSound: ['Sound', 'Ton', 'Sonido'],
  messageMore: ['Picture, buttons, speech', 'Bild, Tasten, Sprache', 'Imagen, botones, voz'],
  messageImage: ['Address of a picture', 'Adresse eines Bildes', 'Dirección de una imagen'],
  messageButtons: ['Buttons', 'Tasten', 'Botones'],
  messageSpeak: ['Read it aloud', 'Vorlesen', 'Leer en voz alta'],
  messagePreview: ['Preview', 'Vorschau', 'Vista previa'],
  messageTemplates: ['Templates', 'Vorlagen', 'Plantillas'],
  messageAnswer: ['Pressed: {button}', 'Gedrückt: {button}', 'Se pulsó: {button}'],
  template_doorbell: ['Doorbell', 'Türklingel', 'Timbre'],
  template_doorbell_text: [
    'Someone is at the door.',
    'Es ist jemand an der Tür.',
    'Hay alguien en la puerta.',
  ],
  template_dinner: ['Dinner', 'Essen', 'Comida'],
  template_dinner_text: ['Dinner is ready.', 'Das Essen ist fertig.', 'La comida está lista.'],
  template_window: ['Window open', 'Fenster offen', 'Ventana abierta'],
  template_window_text: [
    'A window has been open for a long time.',
    'Ein Fenster ist schon lange offen.',
    'Una ventana lleva mucho tiempo abierta.',
  ],
  template_alarm: ['Alarm', 'Alarm', 'Alarma'],
  template_alarm_text: [
    'Please leave the building.',
    'Bitte das Gebäude verlassen.',
    'Abandone el edificio, por favor.',
  ],
  messageShow: ['Show', 'Zeigen', 'Mostrar'],
  messageNeedsText: ['Write a text first.', 'Zuerst einen Text schreiben.', 'Escriba primero un texto.'],
  messageRemove: ['Remove message', 'Mitteilung entfernen', 'Quitar mensaje'],
  message_banner: ['Strip at the top', 'Streifen oben', 'Franja superior'],
  message_dialog: ['Window', 'Fenster', 'Ventana'],
  message_full: ['Whole screen', 'Ganzer Bildschirm', 'Toda la pantalla'],
  message_info: ['Information', 'Hinweis', 'Información'],
  message_warning: ['Warning', 'Warnung', 'Aviso'],
  message_alarm: ['Alarm', 'Alarm', 'Alarma'],
  message_shown: ['It is on the screen.', 'Sie ist auf dem Bildschirm.', 'Está en la pantalla.'],
  message_pressed: ['A button was pressed.', 'Eine Taste wurde gedrückt.', 'Se pulsó un botón.'],
  message_dismissed: ['It was closed.', 'Sie wurde geschlossen.', 'Se cerró.'],
  message_expired: ['Its time is over.', 'Ihre Zeit ist um.', 'Su tiempo terminó.'],
  message_replaced: ['Another took its place.', 'Eine andere trat an ihre Stelle.', 'Otro ocupó su lugar.'],
} satisfies WordsFor;

/** What its commands do. */
export const messagesCommandWords = {
  'message.show': ['Show a message', 'Eine Meldung zeigen', 'Mostrar un mensaje'],
  'message.remove': ['Remove a message', 'Eine Meldung entfernen', 'Quitar un mensaje'],
} satisfies WordsFor<keyof typeof messageCommands>;
