import { container } from '../container.ts';
import { CardStatus, element } from '../dom.ts';
import { type PlayerState, WhepPlayer } from '../whep.ts';

const STATE_NAMES: Readonly<Record<PlayerState, string>> = {
  off: 'Stopped',
  connecting: 'Connecting',
  playing: 'Live',
  waiting: 'Trying again',
  failed: 'Failed',
};

/** So many seconds without a new picture mean that the camera sends nothing. */
const STILL_SECONDS = 3;

/** Plays an RTSP camera through the panel: the address goes to the panel, the picture comes back over WebRTC. */
export function startCameraCard(): void {
  const status = new CardStatus('camera');
  const card = element('camera-card', HTMLElement);
  const form = element('camera-form', HTMLFormElement);
  const url = element('camera-url', HTMLInputElement);
  const playButton = element('camera-play', HTMLButtonElement);
  const soundButton = element('camera-sound', HTMLButtonElement);
  const video = element('camera-video', HTMLVideoElement);
  const stateName = element('camera-state', HTMLElement);
  const resolution = element('camera-resolution', HTMLElement);
  const frameRate = element('camera-fps', HTMLElement);
  let state: PlayerState = 'off';
  let frames = 0;
  let stillSeconds = 0;

  // Each page needs a name of its own: a name that is in use is taken over, and the other page goes dark.
  const player = new WhepPlayer(video, `demo-${Math.random().toString(36).slice(2)}`, (next, error) => {
    state = next;
    stillSeconds = 0;
    if (error) status.sayError(error);
    else status.say('');
    show();
  });

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (state === 'off' || state === 'failed') player.play(url.value.trim());
    else player.stop();
  });

  soundButton.addEventListener('click', () => {
    video.muted = !video.muted;
    soundButton.setAttribute('aria-pressed', String(!video.muted));
  });

  setInterval(() => {
    const total = video.getVideoPlaybackQuality().totalVideoFrames;
    const newFrames = Math.max(0, total - frames);
    frames = total;
    frameRate.textContent = state === 'playing' ? `${newFrames} fps` : '';
    if (state !== 'playing') return;
    const wasStill = stillSeconds >= STILL_SECONDS;
    stillSeconds = newFrames > 0 ? 0 : stillSeconds + 1;
    const isStill = stillSeconds >= STILL_SECONDS;
    if (isStill !== wasStill) status.say(isStill ? 'The camera sends no picture at the moment.' : '');
  }, 1000);

  video.addEventListener('resize', show);

  function show(): void {
    const isOn = state !== 'off' && state !== 'failed';
    card.dataset.state = state;
    stateName.textContent = STATE_NAMES[state];
    playButton.textContent = isOn ? 'Stop' : 'Play';
    resolution.textContent =
      state === 'playing' && video.videoWidth > 0 ? `${video.videoWidth} × ${video.videoHeight}` : '';
  }

  show();
  container.on('snapshot', ({ camera }) => {
    if (camera === null || url.value !== '') return;
    url.value = camera;
    player.play(camera);
  });
}
