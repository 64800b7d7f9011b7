/** Words of the layer itself. What the page's own dialogs say stays English, as their buttons do. */
const texts = {
  en: { close: 'Close', info: 'Information', warning: 'Warning', alarm: 'Alarm' },
  de: { close: 'Schließen', info: 'Hinweis', warning: 'Warnung', alarm: 'Alarm' },
  es: { close: 'Cerrar', info: 'Información', warning: 'Advertencia', alarm: 'Alarma' },
};

/** The words of a language of the panel; English for one that is not known. */
export function textsOf(language: string): typeof texts.en {
  return texts[language as keyof typeof texts] ?? texts.en;
}
