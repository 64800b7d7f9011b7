# A BACnet/IP device with three values, played by bacpypes3, on the UDP port of its argument.
import asyncio, sys
from bacpypes3.app import Application
from bacpypes3.local.analog import AnalogInputObject
from bacpypes3.local.binary import BinaryValueObject
from bacpypes3.local.device import DeviceObject
from bacpypes3.local.multistate import MultiStateInputObject
from bacpypes3.local.networkport import NetworkPortObject

async def main():
    objects = [
        DeviceObject(objectIdentifier=("device", 599), objectName="meter", vendorIdentifier=999),
        NetworkPortObject(f"127.0.0.1/8:{sys.argv[1]}", objectIdentifier=("network-port", 1), objectName="port"),
        AnalogInputObject(objectIdentifier=("analog-input", 1), objectName="room", presentValue=21.5),
        BinaryValueObject(objectIdentifier=("binary-value", 7), objectName="fan", presentValue="active"),
        MultiStateInputObject(objectIdentifier=("multi-state-input", 2), objectName="mode", presentValue=3, numberOfStates=4),
    ]
    app = Application.from_object_list(objects)
    print("ready", flush=True)
    await asyncio.Future()

asyncio.run(main())
