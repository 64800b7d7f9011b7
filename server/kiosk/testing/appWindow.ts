// Another program with one window over the whole screen of DISPLAY: `node appWindow.ts '#RRGGBB'`.
import x11 from 'x11';

const colour = Number.parseInt(process.argv[2]!.slice(1), 16);

x11.createClient({ display: process.env.DISPLAY! }, (error, { client, screen: [screen] }) => {
  if (error) throw error;
  const { root, pixel_width: width, pixel_height: height } = screen!;
  const window = client.AllocID();
  client.CreateWindow(window, root, 0, 0, width, height, 0, 0, 0, 0, { backgroundPixel: colour });
  client.MapWindow(window);
});
