import { OnvifCamera } from '../../server/video/testing/onvifCamera.ts';

const TIMES =
  '<wsnt:CurrentTime>2026-01-01T00:00:00Z</wsnt:CurrentTime><wsnt:TerminationTime>2026-01-01T01:00:00Z</wsnt:TerminationTime>';
const report = (topic: string, name: string, isOn: boolean) =>
  `<wsnt:NotificationMessage><wsnt:Topic>tns1:RuleEngine/${topic}</wsnt:Topic><wsnt:Message><tt:Message UtcTime="2026-01-01T00:00:00Z"><tt:Source/><tt:Data><tt:SimpleItem Name="${name}" Value="${isOn}"/></tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage>`;

/** What `bellOf` gives. */
export interface Bell {
  readonly camera: OnvifCamera;
  /** Reports a visitor. */
  ring(): void;
  /** Reports that something moves, or no longer. */
  move(isOn: boolean): void;
}

/** A double of a door's camera, which reports what happens when it is told to. */
export function bellOf(stream: string): Bell {
  const camera = new OnvifCamera({
    login: 'none',
    profiles: [{ token: 'main', codec: 'H264', width: 320, height: 240, uri: stream }],
  });
  const waiting: string[] = [];
  let wake = () => {};
  const send = (message: string) => {
    waiting.push(message);
    wake();
  };
  camera.on(
    'CreatePullPointSubscription',
    () =>
      `<tev:CreatePullPointSubscriptionResponse><tev:SubscriptionReference><wsa:Address>${camera.address('/events/1')}</wsa:Address></tev:SubscriptionReference>${TIMES}</tev:CreatePullPointSubscriptionResponse>`,
  );
  camera.on('PullMessages', async () => {
    if (waiting.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 2_000);
      });
    return `<tev:PullMessagesResponse>${TIMES}${waiting.splice(0).join('')}</tev:PullMessagesResponse>`;
  });
  return {
    camera,
    ring: () => send(report('MyRuleDetector/Visitor', 'State', true)),
    move: (isOn) => send(report('CellMotionDetector/Motion', 'IsMotion', isOn)),
  };
}
