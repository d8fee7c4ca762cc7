"""Trains a small network on handwritten digits with PyTorch, and writes it as ``torch_digits.onnx``.

Needs ``pip install torch onnx onnxscript scikit-learn``; tried with PyTorch 2.14.1.
"""

from pathlib import Path

import torch
from sklearn.datasets import load_digits
from torch import nn

HELD_OUT = 450

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
labels = torch.tensor(digits.target)
net = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding="same"),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(12, 24, 3, padding="same"),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(24 * 4 * 4, 10),
    nn.Softmax(dim=1),
)
optimizer = torch.optim.Adam(net.parameters(), 0.002)
for _ in range(12):
    for rows in torch.randperm(len(images) - HELD_OUT).split(16):
        optimizer.zero_grad()
        nn.functional.nll_loss(net(images[rows]).log(), labels[rows]).backward()
        optimizer.step()

net.eval()
path = Path(__file__).with_name("torch_digits.onnx")
torch.onnx.export(
    net,
    (images[:2],),
    path,
    dynamo=True,
    input_names=["image"],
    output_names=["probabilities"],
    dynamic_shapes=({0: torch.export.Dim("rows")},),
    external_data=False,
)

right = (net(images[-HELD_OUT:]).argmax(dim=1) == labels[-HELD_OUT:]).sum()
print(f"{right} of {HELD_OUT} held-out images right, {path.stat().st_size:,} bytes")
