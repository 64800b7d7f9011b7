/**
 * The part of the Chrome DevTools Protocol that the host uses, typed by hand.
 * Source: https://chromedevtools.github.io/devtools-protocol/tot/
 */

type Nothing = Record<string, never>;
interface Call<P, R = object> {
  params: P;
  result: R;
}

export interface TargetInfo {
  targetId: string;
  type: string;
  url: string;
  /** The window that opened it, also when the two know nothing of each other. */
  openerId?: string;
}

interface TargetFilter {
  type?: string;
  exclude?: boolean;
}

type WindowBounds = { windowState: 'normal' } | { left: number; top: number; width: number; height: number };

export interface CdpCommands {
  'Browser.close': Call<Nothing>;
  'Browser.getWindowForTarget': Call<{ targetId: string }, { windowId: number }>;
  'Browser.grantPermissions': Call<{ origin: string; permissions: readonly string[] }>;
  'Browser.resetPermissions': Call<Nothing>;
  'Browser.setDownloadBehavior': Call<{ behavior: 'deny'; eventsEnabled: boolean }>;
  'Browser.setWindowBounds': Call<{ windowId: number; bounds: WindowBounds }>;
  'DOM.describeNode': Call<
    { objectId: string; depth: number },
    { node: { shadowRoots?: { backendNodeId: number; shadowRootType?: string }[] } }
  >;
  'DOM.resolveNode': Call<
    { backendNodeId: number; executionContextId: number },
    { object: { objectId?: string } }
  >;
  'Emulation.clearDeviceMetricsOverride': Call<Nothing>;
  /** 0: not overridden, that of the screen. */
  'Emulation.setDeviceMetricsOverride': Call<{
    width: number;
    height: number;
    deviceScaleFactor: number;
    scale?: number;
    mobile: boolean;
    dontSetVisibleSize?: boolean;
    screenWidth?: number;
    screenHeight?: number;
    screenOrientation?: {
      type: 'portraitPrimary' | 'portraitSecondary' | 'landscapePrimary' | 'landscapeSecondary';
      angle: number;
    };
  }>;
  /** Behind what has no ground of its own, an empty document too. */
  'Emulation.setDefaultBackgroundColorOverride': Call<{ color: { r: number; g: number; b: number } }>;
  'Emulation.setFocusEmulationEnabled': Call<{ enabled: boolean }>;
  'Fetch.continueRequest': Call<{
    requestId: string;
    headers?: { name: string; value: string }[];
    interceptResponse?: boolean;
  }>;
  'Fetch.continueWithAuth': Call<{
    requestId: string;
    authChallengeResponse:
      | { response: 'CancelAuth' }
      | { response: 'ProvideCredentials'; username: string; password: string };
  }>;
  'Fetch.enable': Call<{
    patterns: { urlPattern?: string; resourceType?: 'Document' }[];
    handleAuthRequests?: boolean;
  }>;
  'Fetch.fulfillRequest': Call<{ requestId: string; responseCode: number; body: string }>;
  'Fetch.failRequest': Call<{ requestId: string; errorReason: 'Aborted' }>;
  'Input.dispatchKeyEvent': Call<{
    type: 'keyDown' | 'rawKeyDown' | 'keyUp';
    key: string;
    code: string;
    windowsVirtualKeyCode: number;
    text?: string;
    /** 8: Shift. */
    modifiers?: number;
  }>;
  'Input.dispatchTouchEvent': Call<{
    type: 'touchStart' | 'touchMove' | 'touchEnd';
    touchPoints: { x: number; y: number; id: number }[];
  }>;
  'Input.insertText': Call<{ text: string }>;
  'Input.setIgnoreInputEvents': Call<{ ignore: boolean }>;
  'Inspector.enable': Call<Nothing>;
  'Log.enable': Call<Nothing>;
  'Page.addScriptToEvaluateOnNewDocument': Call<
    { source: string; worldName?: string; runImmediately?: boolean },
    { identifier: string }
  >;
  'Page.bringToFront': Call<Nothing>;
  'Network.clearBrowserCache': Call<Nothing>;
  'Network.enable': Call<{ maxTotalBufferSize: number }>;
  'Network.disable': Call<Nothing>;
  'Network.emulateNetworkConditions': Call<{
    offline: boolean;
    latency: number;
    downloadThroughput: number;
    uploadThroughput: number;
  }>;
  'Runtime.queryObjects': Call<
    { prototypeObjectId: string; objectGroup: string },
    { objects: { objectId: string } }
  >;
  'Runtime.callFunctionOn': Call<{ objectId: string; functionDeclaration: string; silent?: boolean }>;
  'Runtime.releaseObjectGroup': Call<{ objectGroup: string }>;
  'Page.captureScreenshot': Call<
    { format: 'png' | 'jpeg'; quality?: number; optimizeForSpeed: boolean },
    { data: string }
  >;
  'Page.crash': Call<Nothing>;
  'Page.createIsolatedWorld': Call<{ frameId: string }, { executionContextId: number }>;
  'Page.enable': Call<Nothing>;
  'Page.handleJavaScriptDialog': Call<{ accept: boolean }>;
  'Page.navigate': Call<{ url: string }, { errorText?: string; loaderId?: string }>;
  'Page.reload': Call<{ ignoreCache: boolean }>;
  'Page.removeScriptToEvaluateOnNewDocument': Call<{ identifier: string }>;
  'Page.setLifecycleEventsEnabled': Call<{ enabled: boolean }>;
  'Page.screencastFrameAck': Call<{ sessionId: number }>;
  'Page.startScreencast': Call<{ format: 'jpeg'; quality: number; maxWidth: number; maxHeight: number }>;
  'Page.stopScreencast': Call<Nothing>;
  'Page.setInterceptFileChooserDialog': Call<{ enabled: boolean; cancel: boolean }>;
  'Runtime.addBinding': Call<{ name: string; executionContextName?: string }>;
  'Runtime.discardConsoleEntries': Call<Nothing>;
  'Runtime.enable': Call<Nothing>;
  'Runtime.evaluate': Call<
    {
      expression: string;
      uniqueContextId?: string;
      contextId?: number;
      objectGroup?: string;
      silent?: boolean;
      returnByValue?: boolean;
      awaitPromise?: boolean;
      /** As if a person had touched the page. */
      userGesture?: boolean;
      /** In milliseconds; a script that takes longer is ended. */
      timeout?: number;
    },
    { result: { value?: unknown; objectId?: string }; exceptionDetails?: ExceptionDetails }
  >;
  'Runtime.runIfWaitingForDebugger': Call<Nothing>;
  'Runtime.setMaxCallStackSizeToCapture': Call<{ size: number }>;
  'Security.enable': Call<Nothing>;
  'Security.handleCertificateError': Call<{ eventId: number; action: 'continue' | 'cancel' }>;
  'Security.setOverrideCertificateErrors': Call<{ override: boolean }>;
  /** `storageTypes`: names of Storage.StorageType, separated by commas. */
  'Storage.clearDataForOrigin': Call<{ origin: string; storageTypes: string }>;
  /** `cpuTime`: CPU time of the whole process, in seconds. */
  'SystemInfo.getInfo': Call<
    Nothing,
    {
      gpu: {
        devices: { deviceString: string }[];
        featureStatus?: Readonly<Record<string, string>>;
      };
    }
  >;
  'SystemInfo.getProcessInfo': Call<
    Nothing,
    { processInfo: { type: string; id: number; cpuTime: number }[] }
  >;
  'Target.closeTarget': Call<{ targetId: string }>;
  'Target.createTarget': Call<
    { url: string } & ({ newWindow: true; windowState: 'fullscreen' } | { background: true }),
    { targetId: string }
  >;
  'Target.detachFromTarget': Call<{ sessionId: string }>;
  /** Without a name: of the target that is asked. */
  'Target.getTargetInfo': Call<{ targetId?: string }, { targetInfo: TargetInfo }>;
  'Target.setAutoAttach': Call<{
    autoAttach: boolean;
    waitForDebuggerOnStart: boolean;
    flatten: boolean;
    filter?: TargetFilter[];
  }>;
}

export interface ExecutionContext {
  id: number;
  uniqueId: string;
  origin: string;
  auxData?: { frameId?: string; isDefault?: boolean };
}

/** A value of the page: the value itself when it is simple, else a description, for objects of the console a preview. */
export interface RemoteValue {
  type: string;
  subtype?: string;
  value?: unknown;
  description?: string;
  preview?: {
    subtype?: string;
    description?: string;
    overflow: boolean;
    properties: { name: string; type: string; value?: string }[];
  };
}

/** Lines and columns count from 0. */
interface StackTrace {
  callFrames: { url: string; lineNumber: number; columnNumber: number }[];
}

export interface ConsoleCall {
  type: string;
  args: RemoteValue[];
  stackTrace?: StackTrace | undefined;
}

export interface ExceptionDetails {
  text: string;
  lineNumber: number;
  columnNumber: number;
  url?: string;
  stackTrace?: StackTrace;
  exception?: RemoteValue;
  executionContextId?: number;
}

export interface LogEntry {
  source: string;
  level: 'verbose' | 'info' | 'warning' | 'error';
  text: string;
  url?: string;
  lineNumber?: number;
  stackTrace?: StackTrace;
}

/** A picture of a screencast. */
export interface ScreencastFrame {
  /** JPEG as base64. */
  data: string;
  /** Size of the page in its own pixels. */
  metadata: { deviceWidth: number; deviceHeight: number };
  /** Counts the casts of a target, and names the one to which the picture belongs. */
  sessionId: number;
}

/** A frame and its document. */
export interface FrameFacts {
  id: string;
  parentId?: string;
  url: string;
  securityOrigin: string;
  unreachableUrl?: string;
}

/** A request that waits for us. */
interface PausedRequest {
  requestId: string;
  frameId: string;
  request: {
    url: string;
    headers: Readonly<Record<string, string>>;
    method: string;
    postData?: string;
  };
  resourceType: string;
}

export interface CdpEventParams {
  'Browser.downloadWillBegin': { url: string };
  'Fetch.authRequired': PausedRequest & { authChallenge: { source?: string; origin: string } };
  /** `redirectedRequestId`: the request that was led here. `responseStatusCode`: it has its answer. */
  'Fetch.requestPaused': PausedRequest & {
    redirectedRequestId?: string;
    responseStatusCode?: number;
    responseErrorReason?: string;
    responseHeaders?: { name: string; value: string }[];
  };
  'Inspector.targetCrashed': Nothing;
  'Log.entryAdded': { entry: LogEntry };
  'Page.lifecycleEvent': { frameId: string; name: string };
  'Page.frameAttached': { frameId: string; parentFrameId: string };
  'Page.frameDetached': { frameId: string; reason?: 'remove' | 'swap' };
  'Page.frameNavigated': { frame: FrameFacts };
  /** Of the page itself, not of its frames. */
  'Page.loadEventFired': Nothing;
  'Page.navigatedWithinDocument': { frameId: string; url: string };
  'Page.javascriptDialogOpening': { type: string };
  'Page.screencastFrame': ScreencastFrame;
  'Runtime.bindingCalled': { name: string; payload: string; executionContextId: number };
  'Runtime.consoleAPICalled': ConsoleCall;
  'Runtime.exceptionThrown': { exceptionDetails: ExceptionDetails };
  'Runtime.executionContextCreated': { context: ExecutionContext };
  'Runtime.executionContextDestroyed': { executionContextId: number };
  'Runtime.executionContextsCleared': Nothing;
  'Security.visibleSecurityStateChanged': {
    visibleSecurityState: {
      /** `certificate`: the chain in DER as base64, the server's own first. */
      certificateSecurityState?: { certificate: string[]; certificateNetworkError?: string };
    };
  };
  'Security.certificateError': { eventId: number; errorType: string; requestURL: string };
  'Target.attachedToTarget': { sessionId: string; targetInfo: TargetInfo; waitingForDebugger: boolean };
  'Target.detachedFromTarget': { sessionId: string };
}

/** An event that the host knows; events of the browser itself have no `sessionId`. */
export type CdpEvent = {
  [M in keyof CdpEventParams]: { method: M; params: CdpEventParams[M]; sessionId?: string };
}[keyof CdpEventParams];

/** Sends one command, to the browser or to one attached target. Rejects with CdpError. */
export type CdpSend = <M extends keyof CdpCommands>(
  method: M,
  params: CdpCommands[M]['params'],
  sessionId?: string,
) => Promise<CdpCommands[M]['result']>;
