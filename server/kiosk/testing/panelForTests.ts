import type { PanelOnScreen } from '../recovery/waitingPage.ts';

/** What the waiting page says about the panel of a test. */
export const panelForTests: PanelOnScreen = {
  name: 'Test panel',
  language: 'en',
  manageUrl: 'http://192.0.2.7:8080/manage/',
};
