import { OnvifCamera } from '../../server/video/testing/onvifCamera.ts';

const TIMES =
  '<wsnt:CurrentTime>2026-01-01T00:00:00Z</wsnt:CurrentTime><wsnt:TerminationTime>2026-01-01T01:00:00Z</wsnt:TerminationTime>';
const RINGS =
  '<wsnt:NotificationMessage><wsnt:Topic>tns1:RuleEngine/MyRuleDetector/Visitor</wsnt:Topic><wsnt:Message><tt:Message UtcTime="2026-01-01T00:00:00Z"><tt:Source/><tt:Data><tt:SimpleItem Name="State" Value="true"/></tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage>';

/** A double of a door's camera, which reports a visitor when `ring` is called. */
export function bellOf(stream: string): { camera: OnvifCamera; ring: () => void } {
  const camera = new OnvifCamera({
    login: 'none',
    profiles: [{ token: 'main', codec: 'H264', width: 320, height: 240, uri: stream }],
  });
  let pending = Promise.withResolvers<void>();
  camera.on(
    'CreatePullPointSubscription',
    () =>
      `<tev:CreatePullPointSubscriptionResponse><tev:SubscriptionReference><wsa:Address>${camera.address('/events/1')}</wsa:Address></tev:SubscriptionReference>${TIMES}</tev:CreatePullPointSubscriptionResponse>`,
  );
  camera.on('PullMessages', async () => {
    const none = new Promise<string>((resolve) => setTimeout(resolve, 2_000, ''));
    const report = await Promise.race([none, pending.promise.then(() => RINGS)]);
    if (report !== '') pending = Promise.withResolvers();
    return `<tev:PullMessagesResponse>${TIMES}${report}</tev:PullMessagesResponse>`;
  });
  return { camera, ring: () => pending.resolve() };
}
