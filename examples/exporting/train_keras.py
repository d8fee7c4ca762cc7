"""Trains a small network on handwritten digits with Keras, and writes it as ``keras_digits.tflite``.

Needs ``pip install tensorflow scikit-learn``; tried with TensorFlow 2.21.0 and Keras 3.15.1.
"""

from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

HELD_OUT = 450

keras.utils.set_random_seed(0)
digits = load_digits()
images, labels = digits.images.astype(np.float32)[..., np.newaxis] / 16, digits.target
net = keras.Sequential(
    [
        keras.layers.Input((8, 8, 1)),
        keras.layers.Conv2D(12, 3, padding="same", activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(24, 3, padding="same", activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
net.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
net.fit(images[:-HELD_OUT], labels[:-HELD_OUT], batch_size=16, epochs=12, verbose=0)

converter = tf.lite.TFLiteConverter.from_keras_model(net)
content = converter.convert()
Path(__file__).with_name("keras_digits.tflite").write_bytes(content)

right = net.predict(images[-HELD_OUT:], verbose=0).argmax(axis=1) == labels[-HELD_OUT:]
print(f"{right.sum()} of {HELD_OUT} held-out images right, {len(content):,} bytes")
