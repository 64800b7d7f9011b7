/** @see onSignal.mjs */
export function onSignal(signals: readonly NodeJS.Signals[], act: () => void, now?: () => number): () => void;
