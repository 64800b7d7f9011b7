import type {
  AuthenticationResponseDetails,
  AuthInfo,
  Certificate,
  Event,
  Input,
  InputEvent,
  RenderProcessGoneDetails,
  WebContents,
  WebContentsWillFrameNavigateEventParams,
  WebContentsWillRedirectEventParams,
} from 'electron';

// The arguments of the events that tests play. electron.d.ts has them only as overloads, from which they cannot be
// derived; electronDouble.test.ts checks them against those.

export interface PageEvents {
  'will-frame-navigate': [details: Event<WebContentsWillFrameNavigateEventParams>];
  'will-redirect': [details: Event<WebContentsWillRedirectEventParams>];
  'will-attach-webview': [event: Event];
  'will-prevent-unload': [event: Event];
  'input-event': [event: Event, inputEvent: InputEvent];
  'before-input-event': [event: Event, input: Input];
  'render-process-gone': [event: Event, details: RenderProcessGoneDetails];
  'did-navigate': [event: Event, url: string, httpResponseCode: number, httpStatusText: string];
  focus: [];
  destroyed: [];
  unresponsive: [];
  'did-fail-load': [
    event: Event,
    errorCode: number,
    errorDescription: string,
    validatedURL: string,
    isMainFrame: boolean,
    frameProcessId: number,
    frameRoutingId: number,
  ];
}

export interface DebuggerEvents {
  message: [event: Event, method: string, params: unknown, sessionId: string];
}

export interface WindowEvents {
  close: [event: Event];
  closed: [];
  focus: [event: Event];
  resize: [];
}

export interface SessionEvents {
  'will-download': [event: Event];
}

export interface AppEvents {
  'web-contents-created': [event: Event, webContents: WebContents];
  'select-client-certificate': [
    event: Event,
    webContents: WebContents | null,
    url: string,
    certificateList: Certificate[],
    callback: (certificate?: Certificate) => void,
  ];
  login: [
    event: Event,
    webContents: WebContents | null,
    details: AuthenticationResponseDetails,
    authInfo: AuthInfo,
    answer: (username?: string, password?: string) => void,
  ];
}
