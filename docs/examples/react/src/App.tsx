import type { ContainerEvents } from '@faceplate/types';
import { useEffect, useState } from 'react';

/** The first relay of the panel. */
const RELAY = 2;

/** Undefined in an ordinary browser. */
const panel = window.container;

/** The level of a pin, whoever changes it. */
function useLevel(pin: number) {
  const [level, setLevel] = useState(0);
  useEffect(() => {
    const onSnapshot = ({ gpio }: ContainerEvents['snapshot']) =>
      setLevel(gpio.find((each) => each.pin === pin)?.level ?? 0);
    const onChange = (change: ContainerEvents['gpio']) => {
      if (change.pin === pin) setLevel(change.level);
    };
    // First the state of everything, then each change.
    panel?.on('snapshot', onSnapshot);
    panel?.on('gpio', onChange);
    return () => {
      panel?.off('snapshot', onSnapshot);
      panel?.off('gpio', onChange);
    };
  }, [pin]);
  return level;
}

export function App() {
  const level = useLevel(RELAY);
  const [message, setMessage] = useState(panel ? '' : 'This page is not open on a panel.');
  const toggle = () =>
    panel?.call('gpio.write', { pin: RELAY, level: level === 1 ? 0 : 1 }).then(
      () => setMessage(''),
      (error: Error) => setMessage(error.message),
    );
  return (
    <>
      <h1>My panel</h1>
      <button type="button" aria-pressed={level === 1} disabled={!panel} onClick={toggle}>
        Relay 1
      </button>
      <p role="status">{message}</p>
    </>
  );
}
