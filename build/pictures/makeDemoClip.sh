#!/bin/sh
# Remakes the clip of the simulated board's camera: server/video/simulatedCamera/demo.h264.
# 10 s, 854x480, 25 frames a second, a keyframe every second, H.264 constrained baseline 3.1, Annex B, below 500 kB.
# Everything moves with a period that divides 10 s, so that the loop has no seam.
# Needs: ffmpeg, fonts-dejavu-core. Run it from the top folder: sh build/pictures/makeDemoClip.sh
set -e
ffmpeg -hide_banner -loglevel error -y \
  -f lavfi -i "nullsrc=size=214x120:rate=25:duration=10,format=gbrp,geq=r='20+8*sin(2*PI*(X/W+T/10))':g='46+22*sin(2*PI*(X/W*0.6-Y/H*0.5-T/10))':b='76+28*sin(2*PI*(X/W*0.6-Y/H*0.5-T/10+0.12))',scale=854:480:flags=bicubic,setsar=1" \
  -f lavfi -i "nullsrc=size=264x264:rate=25:duration=10,format=gbrap,geq=r='74':g='200':b='220':a='clip(2*(9-abs(hypot(X-131.5,Y-131.5)-118)),0,1)*if(lt(mod(atan2(X-131.5,131.5-Y)+2*PI,2*PI),2*PI*T/10),235,46)'" \
  -filter_complex "[0][1]overlay=x=295:y=120:format=gbrp,drawtext=font='DejaVu Sans':fontsize=30:fontcolor=white:x=32:y=30:text='Faceplate demo camera',drawtext=font='DejaVu Sans':fontsize=19:fontcolor=white@0.75:x=33:y=70:text='A recorded test picture, 10 s in a loop',drawtext=font='DejaVu Sans Mono':fontsize=58:fontcolor=white:x=(w-text_w)/2:y=226:text='%{eif\:trunc(t)\:d\:2}.%{eif\:mod(trunc(t*10+0.001)\,10)\:d}',drawtext=font='DejaVu Sans':fontsize=19:fontcolor=white@0.75:x=(w-text_w)/2:y=288:text='seconds',drawtext=font='DejaVu Sans':fontsize=46:fontcolor=0xffc857:text='●':x='(w-text_w)/2+300*sin(2*PI*t/5)':y='418+16*sin(2*PI*t/2.5)',format=yuv420p" \
  -c:v libx264 -profile:v baseline -preset veryslow -level 3.1 -refs 3 -crf 24 -maxrate 500k -bufsize 1000k -g 25 -keyint_min 25 -sc_threshold 0 -bsf:v filter_units=remove_types=6 -f h264 server/video/simulatedCamera/demo.h264
